"""Position based dynamics (Müller et al. 2007) of particles that links hold together.

A step moves all particles as if nothing held them, then goes several times over what touches and
holds them: each is put right alone, one after the other, and the velocity is what came of it.

| module | holds |
|---|---|
| `links` | pairs of particles at a distance, four at a time |
| `contacts` | particles at rigid bodies and on faces of other bodies, and what rigid bodies hold |
| `rounds` | a step of several bodies |
"""
