"""Plugins: those that PyBullet has built in, and those that scripts bring."""

from unibody.bullet.plugins.base import Plugin as Plugin
from unibody.bullet.plugins.loading import register as register
