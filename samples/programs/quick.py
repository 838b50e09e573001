"""Qt Quick's scene graph on Direct3D 9, through the ANGLE that Qt brings: gradients, text, images, transformations, opacity, clipping,
layers (render targets) and shader effects. The picture is what Qt grabs of its window. Nothing moves.
"""

import ctypes
import os
import sys

import PyQt5

QT = os.path.join(os.path.dirname(PyQt5.__file__), "Qt5")
os.environ.update(
    QT_OPENGL="angle",
    QT_ANGLE_PLATFORM="d3d9",
    QSG_RENDER_LOOP="basic",
    QT_QPA_PLATFORM="windows",
    QT_PLUGIN_PATH=os.path.join(QT, "plugins"),
    QML2_IMPORT_PATH=os.path.join(QT, "qml"),
    QT_SCALE_FACTOR="1",
)

from PyQt5.QtCore import QCoreApplication, QEventLoop, Qt, QUrl
from PyQt5.QtGui import QGuiApplication, QImage, qRgba
from PyQt5.QtQuick import QQuickView

SCENE = """
import QtQuick 2.12

Rectangle {
    width: 640; height: 480
    gradient: Gradient {
        GradientStop { position: 0.0; color: "#304060" }
        GradientStop { position: 0.6; color: "#8090c0" }
        GradientStop { position: 1.0; color: "#203018" }
    }
    Repeater {
        model: 24
        Rectangle {
            x: 20 + (index % 8) * 76; y: 20 + Math.floor(index / 8) * 62
            width: 60; height: 46; radius: index; rotation: index * 7; opacity: 0.4 + index / 40
            color: Qt.hsva(index / 24, 0.8, 0.9, 1); border { width: index % 4; color: "white" }
            antialiasing: true
        }
    }
    Image { id: picture; source: "picture.in.png"; x: 20; y: 220; width: 128; height: 128; smooth: true }
    Image { source: "picture.in.png"; x: 160; y: 220; width: 128; height: 128; smooth: false; mirror: true; fillMode: Image.Tile }
    Item {
        x: 300; y: 220; width: 130; height: 128; clip: true
        Rectangle { x: -20; y: 30; width: 120; height: 120; rotation: 30; color: "orange" }
        Text {
            text: "Qt Quick\\nDirect3D 9"; renderType: Text.QtRendering; color: "white"; style: Text.Outline; styleColor: "black"
            font.pixelSize: 26; rotation: -8; x: 4; y: 20
        }
    }
    Item {
        x: 450; y: 220; width: 160; height: 128; opacity: 0.7
        layer.enabled: true
        Rectangle { width: 100; height: 100; color: "red" }
        Rectangle { x: 40; y: 28; width: 100; height: 100; color: "blue"; rotation: 20 }
    }
    ShaderEffectSource { id: source; sourceItem: picture; live: true; hideSource: false; mipmap: true }
    ShaderEffect {
        x: 20; y: 362; width: 270; height: 104
        property variant source: source
        property real strength: 0.04
        fragmentShader: "
            varying highp vec2 qt_TexCoord0;
            uniform sampler2D source;
            uniform lowp float qt_Opacity;
            uniform highp float strength;
            void main() {
                highp vec2 at = qt_TexCoord0 + strength * vec2(sin(20.0 * qt_TexCoord0.y), cos(17.0 * qt_TexCoord0.x));
                gl_FragColor = texture2D(source, at).bgra * qt_Opacity;
            }"
    }
    ShaderEffect {
        x: 310; y: 362; width: 300; height: 104; mesh: GridMesh { resolution: Qt.size(20, 10) }
        property variant source: source
        vertexShader: "
            uniform highp mat4 qt_Matrix;
            attribute highp vec4 qt_Vertex;
            attribute highp vec2 qt_MultiTexCoord0;
            varying highp vec2 place;
            void main() {
                place = qt_MultiTexCoord0;
                highp vec4 vertex = qt_Vertex;
                vertex.y += 12.0 * sin(9.0 * place.x);
                gl_Position = qt_Matrix * vertex;
            }"
        fragmentShader: "
            varying highp vec2 place;
            uniform sampler2D source;
            uniform lowp float qt_Opacity;
            void main() {
                highp float edge = step(0.5, fract(8.0 * place.x));
                gl_FragColor = mix(texture2D(source, place), vec4(place, edge, 1.0), 0.35) * qt_Opacity;
            }"
    }
}
"""

VENDOR_AND_RENDERER = (0x1F00, 0x1F01)


def write_inputs():
    """The scene, and a picture for it."""
    with open("scene.qml", "w", encoding="utf-8") as file:
        file.write(SCENE)
    image = QImage(64, 64, QImage.Format_ARGB32)
    for y in range(64):
        for x in range(64):
            alpha = 255 if (x - 32) ** 2 + (y - 32) ** 2 < 900 else 90
            image.setPixel(x, y, qRgba(4 * x, 4 * y, (x * y) % 256, alpha))
    image.save("picture.in.png")


def main():
    """Shows the scene and saves it."""
    QCoreApplication.setAttribute(Qt.AA_UseOpenGLES)
    app = QGuiApplication(sys.argv)
    write_inputs()
    view = QQuickView()
    renderer = []

    def look():
        gles = ctypes.WinDLL("libGLESv2.dll")
        gles.glGetString.restype = ctypes.c_char_p
        renderer.extend(gles.glGetString(name).decode() for name in VENDOR_AND_RENDERER)

    view.sceneGraphInitialized.connect(look, Qt.DirectConnection)
    view.setSource(QUrl.fromLocalFile(os.path.abspath("scene.qml")))
    view.setFlags(Qt.FramelessWindowHint)
    view.show()
    for _ in range(20):
        app.processEvents(QEventLoop.AllEvents, 50)
    if view.status() != QQuickView.Ready:
        return "\n".join(error.toString() for error in view.errors())
    picture = view.grabWindow()
    saved = picture.convertToFormat(QImage.Format_RGB888).save("picture.png")
    # Its scene graph and its device end while everything is there.
    view.destroy()
    if "Direct3D9" not in " ".join(renderer):
        return f"Qt draws with {renderer}"
    return 0 if saved else "Qt cannot save its window"


status = main()
if status:
    print(status, file=sys.stderr)
sys.stderr.flush()
# Qt's own end would wait for threads of Python's.
os._exit(1 if status else 0)
