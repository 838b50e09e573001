"""pygame's renderer on SDL2's Direct3D 9: textures that are drawn to, uploaded again and again, turned, flipped, tinted and blended,
lines, rectangles and text. The picture is what the renderer reads back. Nothing depends on the clock.
"""

import os
import sys

os.environ.update(SDL_RENDER_DRIVER="direct3d", SDL_AUDIODRIVER="dummy", PYGAME_HIDE_SUPPORT_PROMPT="1")

import pygame
from pygame._sdl2.video import Image, Renderer, Texture, Window, get_drivers

WIDTH, HEIGHT = 640, 480


def gradient(width, height, phase):
    """A surface whose every pixel has a colour of its own."""
    surface = pygame.Surface((width, height), pygame.SRCALPHA, 32)
    for y in range(height):
        for x in range(width):
            alpha = 255 if (x // 8 + y // 8) % 2 else 150
            surface.set_at((x, y), ((x * 255 // width + phase) % 256, y * 255 // height, (x * y + phase) % 256, alpha))
    return surface


def lines(renderer):
    """Points, lines and rectangles of the renderer's colour."""
    for index in range(16):
        renderer.draw_color = (255 - 12 * index, 40 + 13 * index, 90 + 7 * index, 255)
        renderer.draw_line((10, 300 + 10 * index), (200, 470 - 9 * index))
        renderer.draw_rect(pygame.Rect(220 + 12 * index, 380 + 2 * index, 10, 80 - 4 * index))
        renderer.fill_rect(pygame.Rect(430 + 12 * index, 450 - 6 * index, 9, 6 * index + 4))
        renderer.draw_point((220 + 3 * index, 370))


def draw(renderer, frame):
    """A frame: what is uploaded differs from the last one's."""
    renderer.draw_color = (30 + frame, 40, 60, 255)
    renderer.clear()
    background = Texture.from_surface(renderer, gradient(64, 48, 0))
    background.draw(dstrect=pygame.Rect(0, 0, WIDTH, HEIGHT))
    streamed = Texture(renderer, (96, 96), depth=32, streaming=True)
    for phase in (7, 90 + 11 * frame):
        streamed.update(gradient(96, 96, phase))
    target = Texture(renderer, (128, 128), depth=32, target=True)
    renderer.target = target
    renderer.draw_color = (10, 120, 30, 255)
    renderer.clear()
    for index in range(5):
        streamed.draw(dstrect=pygame.Rect(4 + 22 * index, 10 + 18 * index, 36, 36), angle=23 * index)
    renderer.target = None
    target.draw(dstrect=pygame.Rect(20, 20, 180, 180))
    for index, blend in enumerate((pygame.BLENDMODE_NONE, pygame.BLENDMODE_BLEND, pygame.BLENDMODE_ADD, pygame.BLENDMODE_MOD)):
        streamed.blend_mode = blend
        streamed.color = (255 - 40 * index, 255, 120 + 30 * index)
        streamed.alpha = 255 - 30 * index
        streamed.draw(
            dstrect=pygame.Rect(230 + 95 * index, 30, 90, 90),
            angle=15 * index,
            origin=(45, 45),
            flip_x=index % 2 == 1,
            flip_y=index > 1,
        )
    image = Image(streamed, pygame.Rect(16, 16, 48, 48))
    for index in range(6):
        image.angle = 60 * index
        image.flip_x = index % 2 == 0
        image.draw(dstrect=pygame.Rect(230 + 64 * index, 160, 56, 56))
    lines(renderer)
    font = pygame.font.Font(None, 40)
    text = Texture.from_surface(renderer, font.render("pygame, Direct3D 9", True, (255, 240, 120)))
    text.draw(dstrect=text.get_rect(topleft=(230, 240)))


def main():
    """Draws some frames and saves the last."""
    pygame.display.init()
    pygame.font.init()
    names = [driver.name for driver in get_drivers()]
    window = Window("pygame", size=(WIDTH, HEIGHT))
    renderer = Renderer(window, index=names.index("direct3d"), accelerated=1, target_texture=True)
    for frame in range(4):
        pygame.event.pump()
        draw(renderer, frame)
        if frame < 3:
            renderer.present()
    picture = renderer.to_surface()
    renderer.present()
    pygame.image.save(picture.convert(24), "picture.png")
    return 0


sys.exit(main())
