"""Panda3D's own models, drawn by its Direct3D 9 back end; the picture is what Panda3D saves of its window.

Fixed function: textured scenery under an ambient, a directional and a spot light, fog, two animated skeletons, sprites with an
alpha test, text. Then the same through Panda3D's own shader generator, which compiles Cg to shader model 2 and 3. Nothing depends
on the clock.
"""

import sys

from panda3d.core import loadPrcFileData

loadPrcFileData(
    "",
    "\n".join(
        [
            "load-display pandadx9",
            "win-size 640 480",
            "win-origin 0 0",
            "window-title panda",
            "audio-library-name null",
            "sync-video #f",
            "clock-mode non-real-time",
            "textures-power-2 none",
        ]
    ),
)

from direct.actor.Actor import Actor
from direct.showbase.ShowBase import ShowBase
from panda3d.core import AmbientLight, DirectionalLight, Fog, PerspectiveLens, Spotlight, TextNode, TransparencyAttrib, Vec4


def light(base, node, place, target):
    """Adds a light to the whole scene."""
    path = base.render.attachNewNode(node)
    path.setPos(*place)
    path.lookAt(*target)
    base.render.setLight(path)


def build(base):
    """The scene."""
    environment = base.loader.loadModel("models/environment")
    environment.reparentTo(base.render)
    environment.setScale(0.25)
    environment.setPos(-8, 42, 0)
    # Its ground goes on behind the camera, where WineD3D takes a vertex's distance for positive: too much fog in front.
    environment.setFogOff()
    for index, model in enumerate(["models/panda", "models/panda-model"]):
        walks = {"walk": "models/panda-walk"} if index == 0 else {"walk": "models/panda-walk4"}
        panda = Actor(model, walks)
        panda.reparentTo(base.render)
        panda.setScale(0.35 if index == 0 else 0.005)
        panda.setPos(-3 + 6 * index, 2, 0)
        panda.pose("walk", 5 + 7 * index)
    for index, model in enumerate(["smiley", "frowney", "jack", "box"]):
        thing = base.loader.loadModel("models/" + model)
        thing.reparentTo(base.render)
        thing.setPos(-4.5 + 3 * index, -3, 1 + 0.5 * index)
        thing.setHpr(30 * index, 20, 10)
        if index % 2:
            thing.setTransparency(TransparencyAttrib.MAlpha)
            thing.setAlphaScale(0.6)
    ambient = AmbientLight("ambient")
    ambient.setColor(Vec4(0.35, 0.35, 0.4, 1))
    base.render.setLight(base.render.attachNewNode(ambient))
    sun = DirectionalLight("sun")
    sun.setColor(Vec4(0.8, 0.75, 0.6, 1))
    light(base, sun, (10, -10, 20), (0, 0, 0))
    spot = Spotlight("spot")
    spot.setColor(Vec4(0.9, 0.3, 0.3, 1))
    spot.setLens(PerspectiveLens(40, 40))
    light(base, spot, (-6, -12, 10), (-2, 0, 0))
    fog = Fog("fog")
    fog.setColor(0.5, 0.6, 0.7)
    fog.setLinearRange(10, 40)
    base.render.setFog(fog)
    text = TextNode("text")
    text.setText("Panda3D, Direct3D 9")
    text.setTextColor(1, 0.9, 0.3, 1)
    text.setShadow(0.05, 0.05)
    path = base.aspect2d.attachNewNode(text)
    path.setScale(0.12)
    path.setPos(-1.2, 0, 0.82)
    base.disableMouse()
    base.setBackgroundColor(0.5, 0.6, 0.7)
    base.camera.setPos(7, -20, 7)
    base.camera.lookAt(0, 0, 2)


def save(base, name):
    """Draws some frames and saves the last."""
    for _ in range(4):
        base.graphicsEngine.renderFrame()
    if not base.win.saveScreenshot(name):
        sys.exit("Panda3D cannot save its window")


base = ShowBase()
if base.pipe.getInterfaceName() != "DirectX9":
    sys.exit("Panda3D draws with " + base.pipe.getInterfaceName())
build(base)
save(base, "fixed.png")
base.render.setShaderAuto()
save(base, "shaders.png")
