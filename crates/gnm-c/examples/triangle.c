/* A triangle with the PlayStation 4's graphics processor, by calls of its library: shaders, vertices and commands in memory of the
 * console, a submission, and the picture as PPM.
 *
 *     cc triangle.c $(pkg-config --cflags --libs afterimage-gnm) -o triangle && ./triangle picture.ppm */
#include <afterimage_gnm.h>
#include <afterimage_gnm_library.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 640, HEIGHT = 480 };
static const uint64_t VERTEX_CODE = 0x1000000000, PIXEL_CODE = 0x1000001000, VERTICES = 0x1000002000,
                      COMMANDS = 0x1000010000, COLOR = 0x1000100000;

/* buffer_load_format_xyzw of position and colour, through the V# in s[0:3]; exp pos0, exp param0. */
static const uint32_t vertex_code[] = {
    0xE00C2000, 0x80000400, 0xE00C2010, 0x80000800, 0xBF8C0F70, 0xF80008CF, 0x07060504, 0xF800020F, 0x0B0A0908,
    0xBF810000};
/* v_interp of the colour; exp mrt0. */
static const uint32_t pixel_code[] = {
    0xBEFC0310, 0xC8080000, 0xC8090001, 0xC80C0100, 0xC80D0101, 0xC8100200, 0xC8110201, 0x7E0A02F2, 0xF800180F,
    0x05040302, 0xBF810000};
static const float vertices[3][8] = {
    {0, 0.8f, 0, 1, 1, 0, 0, 1}, {0.8f, -0.8f, 0, 1, 0, 1, 0, 1}, {-0.8f, -0.8f, 0, 1, 0, 0, 1, 1}};

static uint32_t cmd[1024], at;

/* Sets registers from one on: context registers begin at 0x28000, those of shaders at 0xB000, of user configuration at 0x30000. */
static void set(uint32_t reg, uint32_t count, const void *values) {
    uint32_t base = reg >= 0x30000 ? 0x30000 : reg >= 0x28000 ? 0x28000 : 0xB000;
    uint32_t opcode = reg >= 0x30000 ? 0x79 : reg >= 0x28000 ? 0x69 : 0x76;
    cmd[at++] = 3u << 30 | count << 16 | opcode << 8;
    cmd[at++] = (reg - base) / 4;
    memcpy(cmd + at, values, 4 * count);
    at += count;
}

static void check(int ok, const char *what) {
    if (!ok) {
        fprintf(stderr, "%s: %s\n", what, afterimage_gnm_message());
        exit(1);
    }
}

static void commands(void) {
    at += (uint32_t)sceGnmDrawInitDefaultHardwareState350(cmd, 256);
    const uint32_t target[] = {(uint32_t)(COLOR >> 8), WIDTH / 8 - 1, WIDTH * HEIGHT / 64 - 1, 0, 10 << 2 | 1 << 7 | 1 << 11};
    const float viewport[] = {WIDTH / 2.0f, WIDTH / 2.0f, -HEIGHT / 2.0f, HEIGHT / 2.0f, 1, 0};
    const uint32_t screen[] = {0, HEIGHT << 16 | WIDTH}, scissor[] = {1u << 31, HEIGHT << 16 | WIDTH};
    const uint32_t mask = 15, input = 0, triangles = 4;
    set(0x28C60, 5, target);   /* CB_COLOR0_BASE */
    set(0x28238, 1, &mask);    /* CB_TARGET_MASK */
    set(0x2843C, 6, viewport); /* PA_CL_VPORT_XSCALE */
    set(0x28030, 2, screen);   /* PA_SC_SCREEN_SCISSOR_TL */
    set(0x28204, 2, scissor);  /* PA_SC_WINDOW_SCISSOR_TL */
    set(0x28240, 2, scissor);  /* PA_SC_GENERIC_SCISSOR_TL */
    const uint32_t vs[7] = {(uint32_t)(VERTEX_CODE >> 8), 0, 3 << 24 | 0xC0 << 12, 16 << 1, 0, 4, 0};
    check(sceGnmSetVsShader(cmd + at, 29, vs, 0) == 0, "sceGnmSetVsShader");
    at += 29;
    /* A V#: three records of 32 bytes, four floats each. */
    const uint32_t records[] = {(uint32_t)VERTICES, (uint32_t)(VERTICES >> 32) | 32 << 16, 3, 0x00077FAC};
    set(0xB130, 4, records); /* SPI_SHADER_USER_DATA_VS_0 */
    const uint32_t ps[12] = {(uint32_t)(PIXEL_CODE >> 8), 0, 0xC0 << 12, 16 << 1, 0, 9, 2, 2, 1, 0, 0x10, 15};
    check(sceGnmSetPsShader350(cmd + at, 40, ps) == 0, "sceGnmSetPsShader350");
    at += 40;
    set(0x28644, 1, &input);     /* SPI_PS_INPUT_CNTL_0 */
    set(0x30908, 1, &triangles); /* VGT_PRIMITIVE_TYPE */
    check(sceGnmDrawIndexAuto(cmd + at, 7, 3, 0) == 0, "sceGnmDrawIndexAuto");
    at += 7;
}

int main(int count, char **arguments) {
    AfterimageGnm *gnm;
    const AfterimageGnmOptions options = {.size = sizeof options, .name = "triangle"};
    check(!afterimage_gnm_create(AFTERIMAGE_GNM_VERSION, &options, &gnm), "create");
    check(!afterimage_gnm_use(gnm), "use");
    check(!afterimage_gnm_map(gnm, VERTEX_CODE, 16 << 20), "map");
    commands();
    check(!afterimage_gnm_write(gnm, VERTEX_CODE, vertex_code, sizeof vertex_code), "write");
    check(!afterimage_gnm_write(gnm, PIXEL_CODE, pixel_code, sizeof pixel_code), "write");
    check(!afterimage_gnm_write(gnm, VERTICES, vertices, sizeof vertices), "write");
    check(!afterimage_gnm_write(gnm, COMMANDS, cmd, 4 * at), "write");
    const uint32_t bytes = 4 * at;
    check(sceGnmSubmitCommandBuffers(1, &COMMANDS, &bytes, NULL, NULL) == 0, "sceGnmSubmitCommandBuffers");
    static uint8_t rgba[4 * WIDTH * HEIGHT];
    const AfterimageGnmDisplay display = {COLOR, WIDTH, HEIGHT, WIDTH, 10, 1, 31};
    check(!afterimage_gnm_picture(gnm, &display, rgba, sizeof rgba), "picture");
    check(!afterimage_gnm_destroy(gnm), "destroy");
    FILE *file = fopen(count > 1 ? arguments[1] : "triangle.ppm", "wb");
    if (!file || fprintf(file, "P6 %d %d 255\n", WIDTH, HEIGHT) < 0) return 1;
    for (size_t pixel = 0; pixel < WIDTH * HEIGHT; pixel++) fwrite(rgba + 4 * pixel, 1, 3, file);
    return fclose(file) != 0;
}
