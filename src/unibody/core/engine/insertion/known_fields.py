"""The fields of MuJoCo's structs that this package was written for.

A body that enters a compiled model needs a row in each array that has one for every body, and
what these rows refer to is renumbered. Of an array that is new in MuJoCo this package would know
nothing, and bodies would have wrong rows there without an error. So it works with these fields
alone. A MuJoCo that has others, or lacks some, gets every change by a compile.

The table names a field, and behind a bracket the counts that it has rows and columns of.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

from mujoco.introspect import structs

from unibody.mechanisms import is_plain

STRUCTS = ("mjModel", "mjData")


@functools.cache
def insertion_works() -> bool:
    """Whether bodies and constraints can enter and leave a compiled model."""
    return not is_plain("slots") and not difference()


def difference() -> str:
    """What this MuJoCo has that the table does not, or lacks; empty: it is the one of the table."""
    parts: list[str] = []
    for struct in STRUCTS:
        known, found = frozenset(_KNOWN[struct].split()), frozenset(fields_of(struct))
        if found - known:
            parts.append(f"{struct} has {', '.join(sorted(found - known))}")
        if known - found:
            parts.append(f"{struct} lacks {', '.join(sorted(known - found))}")
    return "; ".join(parts)


def fields_of(struct: str) -> Iterator[str]:
    """The fields of a struct of this MuJoCo, as the table names them."""
    fields: Any = structs.STRUCTS[struct].fields
    for field in fields:
        extent = ",".join(map(str, getattr(field, "array_extent", None) or ()))
        yield f"{field.name}[{extent.replace(' ', '')}" if extent else field.name


# --- table: of MuJoCo 3.17.0, by scripts/known_fields.py
_KNOWN = {
    "mjModel": """
        B_colind[nB B_rowadr[nbody B_rownnz[nbody D_colind[nD D_diag[nv D_rowadr[nv D_rownnz[nv
        M_colind[nC M_rowadr[nv M_rownnz[nv actuator_acc0[nout actuator_actadr[nactuator
        actuator_actearly[nactuator actuator_actlimited[nactuator actuator_actnum[nactuator
        actuator_actrange[nactuator,2 actuator_armature[nactuator
        actuator_biasprm[nactuator,mjNBIAS actuator_biastype[nactuator
        actuator_cranklength[nactuator actuator_ctrladr[nactuator actuator_ctrllimited[nu
        actuator_ctrlnum[nactuator actuator_ctrlrange[nu,2 actuator_ctrlspec[nactuator
        actuator_damping[nactuator actuator_dampingpoly[nactuator,mjNPOLY actuator_delay[nactuator
        actuator_dynprm[nactuator,mjNDYN actuator_dyntype[nactuator
        actuator_forcelimited[nactuator actuator_forcerange[nactuator,2
        actuator_gainprm[nactuator,mjNGAIN actuator_gaintype[nactuator actuator_gear[nout,6
        actuator_group[nactuator actuator_history[nactuator,2 actuator_historyadr[nactuator
        actuator_length0[nout actuator_lengthrange[nout,2 actuator_outadr[nactuator
        actuator_outnum[nactuator actuator_plugin[nactuator actuator_trnid[nactuator,2
        actuator_trntype[nactuator actuator_user[nactuator,nuser_actuator body_bvhadr[nbody
        body_bvhnum[nbody body_conaffinity[nbody body_contype[nbody body_dofadr[nbody
        body_dofnum[nbody body_geomadr[nbody body_geomnum[nbody body_gravcomp[nbody
        body_inertia[nbody,3 body_invweight0[nbody,2 body_ipos[nbody,3 body_iquat[nbody,4
        body_jntadr[nbody body_jntnum[nbody body_margin[nbody body_mass[nbody body_mocapid[nbody
        body_parentid[nbody body_plugin[nbody body_pos[nbody,3 body_quat[nbody,4 body_rootid[nbody
        body_sameframe[nbody body_simple[nbody body_subtreemass[nbody body_treeid[nbody
        body_user[nbody,nuser_body body_weldid[nbody buffer bvh_aabb[nbvhstatic,6 bvh_child[nbvh,2
        bvh_depth[nbvh bvh_nodeid[nbvh cam_bodyid[ncam cam_fovy[ncam cam_intrinsic[ncam,4
        cam_ipd[ncam cam_mat0[ncam,9 cam_mode[ncam cam_output[ncam cam_pos0[ncam,3 cam_pos[ncam,3
        cam_poscom0[ncam,3 cam_projection[ncam cam_quat[ncam,4 cam_resolution[ncam,2
        cam_sensorsize[ncam,2 cam_targetbodyid[ncam cam_user[ncam,nuser_cam dof_M0[nv dof_Madr[nv
        dof_armature[nv dof_bodyid[nv dof_damping[nv dof_dampingpoly[nv,mjNPOLY
        dof_frictionloss[nv dof_invweight0[nv dof_jntid[nv dof_length[nv dof_parentid[nv
        dof_simplenum[nv dof_solimp[nv,mjNIMP dof_solref[nv,mjNREF dof_treeid[nv efm0_L[nefm0L
        efm0_L_colind[nefm0L efm0_L_rowadr[nefm0dof efm0_L_rownnz[nefm0dof efm0_dofid[nefm0dof
        efmC_perm[nefmCvert eq_active0[neq eq_data[neq,mjNEQDATA eq_obj1id[neq eq_obj2id[neq
        eq_objtype[neq eq_solimp[neq,mjNIMP eq_solref[neq,mjNREF eq_type[neq
        exclude_signature[nexclude flex_activelayers[nflex flex_bending[nflexbending
        flex_bendingadr[nflex flex_bvhadr[nflex flex_bvhnum[nflex flex_cellnum[nflex,3
        flex_centered[nflex flex_conaffinity[nflex flex_condim[nflex flex_contype[nflex
        flex_damping[nflex flex_dim[nflex flex_edge[nflexedge,2 flex_edgeadr[nflex
        flex_edgedamping[nflex flex_edgeequality[nflex flex_edgeflap[nflexedge,2
        flex_edgenum[nflex flex_edgestiffness[nflex flex_elem[nflexelemdata flex_elemadr[nflex
        flex_elemdataadr[nflex flex_elemedge[nflexelemedge flex_elemedgeadr[nflex
        flex_elemlayer[nflexelem flex_elemnum[nflex flex_elemtexcoord[nflexelemdata
        flex_flatskin[nflex flex_friction[nflex,3 flex_gap[nflex flex_group[nflex
        flex_interp[nflex flex_margin[nflex flex_matid[nflex flex_node0[nflexnode,3
        flex_node[nflexnode,3 flex_nodeadr[nflex flex_nodebodyid[nflexnode flex_nodenum[nflex
        flex_passive[nflex flex_priority[nflex flex_radius[nflex flex_rgba[nflex,4
        flex_rigid[nflex flex_selfcollide[nflex flex_shell[nflexshelldata flex_shelldataadr[nflex
        flex_shellnum[nflex flex_size[nflex,3 flex_solimp[nflex,mjNIMP flex_solmix[nflex
        flex_solref[nflex,mjNREF flex_stiffness[nflexstiffness flex_stiffnessadr[nflex
        flex_texcoord[nflextexcoord,2 flex_texcoordadr[nflex flex_vert0[nflexvert,3
        flex_vert[nflexvert,3 flex_vertadr[nflex flex_vertbodyid[nflexvert
        flex_vertedge[nflexedge,2 flex_vertedgeadr[nflexvert flex_vertedgenum[nflexvert
        flex_vertmetric[nflexvert,4 flex_vertnum[nflex flexedge_J_colind[nJfe
        flexedge_J_rowadr[nflexedge flexedge_J_rownnz[nflexedge flexedge_invweight0[nflexedge
        flexedge_length0[nflexedge flexedge_rigid[nflexedge flexvert_J_colind[nJfv,2
        flexvert_J_rowadr[nflexvert,2 flexvert_J_rownnz[nflexvert,2 flg_adhesion flg_gravcomp
        flg_surfacevel geom_aabb[ngeom,6 geom_adhesion[ngeom geom_bodyid[ngeom
        geom_conaffinity[ngeom geom_condim[ngeom geom_contype[ngeom geom_dataid[ngeom
        geom_fluid[ngeom,mjNFLUID geom_friction[ngeom,3 geom_gap[ngeom geom_group[ngeom
        geom_margin[ngeom geom_matid[ngeom geom_plugin[ngeom geom_pos[ngeom,3 geom_priority[ngeom
        geom_quat[ngeom,4 geom_rbound[ngeom geom_rgba[ngeom,4 geom_sameframe[ngeom
        geom_size[ngeom,3 geom_solimp[ngeom,mjNIMP geom_solmix[ngeom geom_solref[ngeom,mjNREF
        geom_surfacevel[ngeom,6 geom_type[ngeom geom_user[ngeom,nuser_geom hfield_adr[nhfield
        hfield_data[nhfielddata hfield_ncol[nhfield hfield_nrow[nhfield hfield_pathadr[nhfield
        hfield_size[nhfield,4 jnt_actfrclimited[njnt jnt_actfrcrange[njnt,2 jnt_actgravcomp[njnt
        jnt_actuatorid[njnt jnt_axis[njnt,3 jnt_bodyid[njnt jnt_dofadr[njnt jnt_group[njnt
        jnt_limited[njnt jnt_margin[njnt jnt_pos[njnt,3 jnt_qposadr[njnt jnt_range[njnt,2
        jnt_solimp[njnt,mjNIMP jnt_solref[njnt,mjNREF jnt_stiffness[njnt
        jnt_stiffnesspoly[njnt,mjNPOLY jnt_type[njnt jnt_user[njnt,nuser_jnt key_act[nkey,na
        key_ctrl[nkey,nu key_mpos[nkey,nmocap*3 key_mquat[nkey,nmocap*4 key_qpos[nkey,nq
        key_qvel[nkey,nv key_time[nkey light_active[nlight light_ambient[nlight,3
        light_attenuation[nlight,3 light_bodyid[nlight light_bulbradius[nlight
        light_castshadow[nlight light_cutoff[nlight light_diffuse[nlight,3 light_dir0[nlight,3
        light_dir[nlight,3 light_exponent[nlight light_intensity[nlight light_mode[nlight
        light_pos0[nlight,3 light_pos[nlight,3 light_poscom0[nlight,3 light_range[nlight
        light_softness[nlight light_specular[nlight,3 light_targetbodyid[nlight light_texid[nlight
        light_type[nlight mapD2M[nC mapM2D[nD mapM2M[nC mat_emission[nmat mat_metallic[nmat
        mat_reflectance[nmat mat_rgba[nmat,4 mat_roughness[nmat mat_shininess[nmat
        mat_specular[nmat mat_texid[nmat,mjNTEXROLE mat_texrepeat[nmat,2 mat_texuniform[nmat
        mesh_bvhadr[nmesh mesh_bvhnum[nmesh mesh_extrema[nmesh,27 mesh_face[nmeshface,3
        mesh_faceadr[nmesh mesh_facenormal[nmeshface,3 mesh_facenum[nmesh
        mesh_facetexcoord[nmeshface,3 mesh_graph[nmeshgraph mesh_graphadr[nmesh
        mesh_normal[nmeshnormal,3 mesh_normaladr[nmesh mesh_normalnum[nmesh mesh_octadr[nmesh
        mesh_octnum[nmesh mesh_pathadr[nmesh mesh_polyadr[nmesh mesh_polymap[nmeshpolymap
        mesh_polymapadr[nmeshvert mesh_polymapnum[nmeshvert mesh_polynormal[nmeshpoly,3
        mesh_polynum[nmesh mesh_polyvert[nmeshpolyvert mesh_polyvertadr[nmeshpoly
        mesh_polyvertnum[nmeshpoly mesh_pos[nmesh,3 mesh_quat[nmesh,4 mesh_scale[nmesh,3
        mesh_texcoord[nmeshtexcoord,2 mesh_texcoordadr[nmesh mesh_texcoordnum[nmesh
        mesh_vert[nmeshvert,3 mesh_vertadr[nmesh mesh_vertnum[nmesh nB nC nD nJfe nJfv nJmom nJten
        nM na nactuator name_actuatoradr[nactuator name_bodyadr[nbody name_camadr[ncam
        name_eqadr[neq name_excludeadr[nexclude name_flexadr[nflex name_geomadr[ngeom
        name_hfieldadr[nhfield name_jntadr[njnt name_keyadr[nkey name_lightadr[nlight
        name_matadr[nmat name_meshadr[nmesh name_numericadr[nnumeric name_pairadr[npair
        name_pluginadr[nplugin name_sensoradr[nsensor name_siteadr[nsite name_skinadr[nskin
        name_tendonadr[ntendon name_texadr[ntex name_textadr[ntext name_tupleadr[ntuple
        names[nnames names_map[nnames_map narena nbody nbuffer nbvh nbvhdynamic nbvhstatic ncam
        nconmax nefm0L nefm0dof nefmCvert nemax neq nexclude nflex nflexbending nflexedge
        nflexelem nflexelemdata nflexelemedge nflexnode nflexshelldata nflexstiffness
        nflextexcoord nflexvert ngeom ngravcomp nhfield nhfielddata nhistory njmax njnt nkey
        nlight nmat nmesh nmeshdegmax nmeshface nmeshgraph nmeshnormal nmeshpoly nmeshpolymap
        nmeshpolyvert nmeshtexcoord nmeshvert nmocap nnames nnames_map nnumeric nnumericdata noct
        nout npair npaths nplugin npluginattr npluginstate npolygonmax nq nsensor nsensordata
        nsite nskin nskinbone nskinbonevert nskinface nskintexvert nskinvert ntendon ntex ntexdata
        ntext ntextdata ntree ntuple ntupledata nu numeric_adr[nnumeric numeric_data[nnumericdata
        numeric_size[nnumeric nuser_actuator nuser_body nuser_cam nuser_geom nuser_jnt
        nuser_sensor nuser_site nuser_tendon nuserdata nv nwrap oct_aabb[noct,6 oct_child[noct,8
        oct_coeff[noct,8 oct_depth[noct opt pair_adhesion[npair pair_dim[npair
        pair_friction[npair,5 pair_gap[npair pair_geom1[npair pair_geom2[npair pair_margin[npair
        pair_signature[npair pair_solimp[npair,mjNIMP pair_solref[npair,mjNREF
        pair_solreffriction[npair,mjNREF paths[npaths plugin[nplugin plugin_attr[npluginattr
        plugin_attradr[nplugin plugin_stateadr[nplugin plugin_statenum[nplugin qpos0[nq
        qpos_spring[nq sensor_adr[nsensor sensor_cutoff[nsensor sensor_datatype[nsensor
        sensor_delay[nsensor sensor_dim[nsensor sensor_history[nsensor,2 sensor_historyadr[nsensor
        sensor_interval[nsensor,2 sensor_intprm[nsensor,mjNSENS sensor_needstage[nsensor
        sensor_noise[nsensor sensor_objid[nsensor sensor_objtype[nsensor sensor_plugin[nsensor
        sensor_refid[nsensor sensor_reftype[nsensor sensor_type[nsensor
        sensor_user[nsensor,nuser_sensor signature site_bodyid[nsite site_dataid[nsite
        site_group[nsite site_matid[nsite site_pos[nsite,3 site_quat[nsite,4 site_rgba[nsite,4
        site_sameframe[nsite site_size[nsite,3 site_type[nsite site_user[nsite,nuser_site
        skin_boneadr[nskin skin_bonebindpos[nskinbone,3 skin_bonebindquat[nskinbone,4
        skin_bonebodyid[nskinbone skin_bonenum[nskin skin_bonevertadr[nskinbone
        skin_bonevertid[nskinbonevert skin_bonevertnum[nskinbone skin_bonevertweight[nskinbonevert
        skin_face[nskinface,3 skin_faceadr[nskin skin_facenum[nskin skin_group[nskin
        skin_inflate[nskin skin_matid[nskin skin_pathadr[nskin skin_rgba[nskin,4
        skin_texcoord[nskintexvert,2 skin_texcoordadr[nskin skin_vert[nskinvert,3
        skin_vertadr[nskin skin_vertnum[nskin stat ten_J_colind[nJten ten_J_rowadr[ntendon
        ten_J_rownnz[ntendon tendon_actfrclimited[ntendon tendon_actfrcrange[ntendon,2
        tendon_actuatorid[ntendon tendon_adr[ntendon tendon_armature[ntendon
        tendon_damping[ntendon tendon_dampingpoly[ntendon,mjNPOLY tendon_frictionloss[ntendon
        tendon_group[ntendon tendon_invweight0[ntendon tendon_length0[ntendon
        tendon_lengthspring[ntendon,2 tendon_limited[ntendon tendon_margin[ntendon
        tendon_matid[ntendon tendon_num[ntendon tendon_range[ntendon,2 tendon_rgba[ntendon,4
        tendon_solimp_fri[ntendon,mjNIMP tendon_solimp_lim[ntendon,mjNIMP
        tendon_solref_fri[ntendon,mjNREF tendon_solref_lim[ntendon,mjNREF tendon_stiffness[ntendon
        tendon_stiffnesspoly[ntendon,mjNPOLY tendon_treeid[ntendon,2 tendon_treenum[ntendon
        tendon_user[ntendon,nuser_tendon tendon_width[ntendon tex_adr[ntex tex_colorspace[ntex
        tex_contenttypeadr[ntex tex_data[ntexdata tex_height[ntex tex_nchannel[ntex
        tex_pathadr[ntex tex_type[ntex tex_width[ntex text_adr[ntext text_data[ntextdata
        text_size[ntext tree_bodyadr[ntree tree_bodynum[ntree tree_dofadr[ntree tree_dofnum[ntree
        tree_sleep_policy[ntree tuple_adr[ntuple tuple_objid[ntupledata tuple_objprm[ntupledata
        tuple_objtype[ntupledata tuple_size[ntuple vis wrap_objid[nwrap wrap_prm[nwrap
        wrap_type[nwrap
    """,
    "mjData": """
        M[nC act[na act_dot[na actuator_force[nout actuator_length[nout actuator_moment[nJmom
        actuator_velocity[nout arena body_awake[nbody body_awake_ind[nbody buffer
        bvh_aabb_dyn[nbvhdynamic,6 bvh_active[nbvh cacc[nbody,6 cam_xmat[ncam,9 cam_xpos[ncam,3
        cdof[nv,6 cdof_dot[nv,6 cfrc_ext[nbody,6 cfrc_int[nbody,6 cinert[nbody,10 contact[ncon
        crb[nbody,10 ctrl[nu cvel[nbody,6 dof_awake_ind[nv dof_island[nv efc_AR[nA
        efc_AR_colind[nA efc_AR_rowadr[nefc efc_AR_rownnz[nefc efc_D[nefc efc_J[nJ efc_J_colind[nJ
        efc_J_rowadr[nefc efc_J_rownnz[nefc efc_J_rowsuper[nefc efc_KBIP[nefc,4 efc_R[nefc
        efc_Y[nY efc_Y_colind[nY efc_Y_rowadr[nefc efc_Y_rownnz[nefc efc_aref[nefc efc_b[nefc
        efc_diagA[nefc efc_force[nefc efc_frictionloss[nefc efc_id[nefc efc_island[nefc
        efc_margin[nefc efc_pos[nefc efc_state[nefc efc_type[nefc efc_vel[nefc efm_K_colind[nefmK
        efm_K_rowadr[nv efm_K_rownnz[nv efm_K_val[nefmK efm_L[nefmL efm_active efm_aid[nactuator
        efm_ak[nactuator efm_as[nactuator efm_c[nv efm_ca[nv efm_ck[nv efm_con_ind[nefmcon
        efm_con_val[nefmcon efm_diag[nv efm_dofid[nefmdof efm_fluid[nC efm_sdiag[nv
        efm_tid[ntendon efm_tk[ntendon efm_ts[ntendon energy eq_active[neq
        flex_hessian_valid[nflex flexedge_J[nJfe flexedge_hessian[nflexedge,9
        flexedge_length[nflexedge flexedge_velocity[nflexedge flexelem_aabb[nflexelem,6
        flexelem_krot[nflexstiffness flexvert_J[nJfv,2 flexvert_conage[nflexvert
        flexvert_hessian[nflexvert,6 flexvert_lambda[nflexvert flexvert_length[nflexvert,2
        flexvert_xpos[nflexvert,3 flg_energypos flg_energyvel flg_rnepost flg_subtreevel
        geom_xmat[ngeom,9 geom_xpos[ngeom,3 history[nhistory iacc[nidof iacc_smooth[nidof
        iefc_D[nefc iefc_R[nefc iefc_aref[nefc iefc_force[nefc iefc_frictionloss[nefc iefc_id[nefc
        iefc_state[nefc iefc_type[nefc ifrc_constraint[nidof ifrc_smooth[nidof
        island_dofadr[nisland island_idofadr[nisland island_iefcadr[nisland
        island_itreeadr[nisland island_ne[nisland island_nefc[nisland island_nf[nisland
        island_ntree[nisland island_nv[nisland light_xdir[nlight,3 light_xpos[nlight,3
        map_dof2idof[nv map_efc2iefc[nefc map_idof2dof[nv map_iefc2efc[nefc map_itree2tree[ntree
        maxuse_arena maxuse_con maxuse_efc maxuse_stack mocap_pos[nmocap,3 mocap_quat[nmocap,4
        moment_colind[nJmom moment_rowadr[nout moment_rownnz[nout nA nJ nY narena nbody_awake
        nbuffer ncon ne nefc nefmA nefmK nefmL nefmT nefmcon nefmdof nf nidof nisland nl
        nparent_awake nplugin ntree_awake nv_awake parena parent_awake_ind[nbody pbase
        plugin[nplugin plugin_data[nplugin plugin_state[npluginstate pstack qDeriv[nD qHDiagInv[nv
        qH[nC qLD[nC qLDiagInv[nv qLU[nD qacc[nv qacc_smooth[nv qacc_warmstart[nv qfrc_actuator[nv
        qfrc_adhesion[nv qfrc_applied[nv qfrc_bias[nv qfrc_constraint[nv qfrc_damper[nv
        qfrc_fluid[nv qfrc_gravcomp[nv qfrc_inverse[nv qfrc_passive[nv qfrc_smooth[nv
        qfrc_spring[nv qpos[nq qvel[nv sensordata[nsensordata signature site_xmat[nsite,9
        site_xpos[nsite,3 solver solver_fwdinv solver_niter solver_nnz subtree_angmom[nbody,3
        subtree_com[nbody,3 subtree_linvel[nbody,3 ten_J[nJten ten_length[ntendon
        ten_velocity[ntendon ten_wrapadr[ntendon ten_wrapnum[ntendon tendon_efcadr[ntendon
        threadlock threadpool time timer tree_asleep[ntree tree_awake[ntree tree_island[ntree
        userdata[nuserdata warning wrap_obj[nwrap,2 wrap_xpos[nwrap,6 xanchor[njnt,3 xaxis[njnt,3
        xfrc_applied[nbody,6 ximat[nbody,9 xipos[nbody,3 xmat[nbody,9 xpos[nbody,3 xquat[nbody,4
    """,
}
