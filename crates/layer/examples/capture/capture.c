/* Captures what is drawn, by VK_EXT_transform_feedback, in the ways that the extension has, and prints what was captured, counted and painted.
 *
 * It only uses Vulkan, 1.1 with render passes, and does not know who gives it the extension: the driver, or a layer.
 *
 *   cc capture.c -o capture -lvulkan && ./capture [CASE]
 *
 * With the layer in place of the driver's extension, see docs/layer.md; what is printed is the same.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vulkan/vulkan.h>

#include "shaders.h"

#define SIDE 16u             /* of the picture */
#define VERTICES 32u         /* in the vertex buffer */
#define CAPTURE 2048u        /* bytes of a buffer that is captured into */
#define BUFFERS 2u           /* that are captured into, with a counter each */
#define STREAMS 2u           /* of the geometry shader, with a query each */
#define UNTOUCHED 0xdeadbeef /* what they are full of before */
#define COUNT(list) ((uint32_t)(sizeof(list) / sizeof((list)[0])))
#define CHECK(call) check((call), #call)

/* Bytes of a captured vertex in each buffer, as the shaders declare it. */
static const uint32_t STRIDES[BUFFERS] = {16, 20};
static const uint16_t INDICES[] = {4, 2, 9, 0xffff, 1, 1, 3, 8, 0, 7, 0xffff, 0xffff, 5, 6, 10, 11, 2, 0};

/* What follows the first render pass. */
typedef enum {
    NOTHING,
    RESUME,    /* in another command buffer feedback goes on, where the counters say */
    BYTE_COUNT /* as many vertices as were captured are drawn, of what was captured, and captured again */
} Then;

typedef struct {
    const char *name;
    VkPrimitiveTopology topology;
    uint32_t vertices, first, instances, first_instance;
    VkBool32 indexed, indirect, geometry;
    VkDeviceSize room; /* bytes that may be captured into each buffer, or 0 for all */
    Then then;
} Case;

#define LIST VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST
#define STRIP VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP
#define FAN VK_PRIMITIVE_TOPOLOGY_TRIANGLE_FAN
#define LINES VK_PRIMITIVE_TOPOLOGY_LINE_STRIP
#define POINTS VK_PRIMITIVE_TOPOLOGY_POINT_LIST

static const Case CASES[] = {
    {"points", POINTS, 5, 2, 1, 0, 0, 0, 0, 0, NOTHING},
    {"list", LIST, 8, 0, 1, 0, 0, 0, 0, 0, NOTHING},
    {"strip", STRIP, 6, 0, 1, 0, 0, 0, 0, 0, NOTHING},
    {"fan", FAN, 5, 1, 1, 0, 0, 0, 0, 0, NOTHING},
    {"instances", LINES, 4, 3, 3, 2, 0, 0, 0, 0, NOTHING},
    {"indexed", STRIP, 10, 0, 1, 0, 1, 0, 0, 0, NOTHING},
    {"restarts", FAN, COUNT(INDICES), 0, 2, 0, 1, 0, 0, 0, NOTHING},
    {"indirect", LIST, 7, 4, 2, 0, 0, 1, 0, 0, NOTHING},
    {"indexed, indirect", LINES, COUNT(INDICES), 0, 2, 0, 1, 1, 0, 0, NOTHING},
    {"limited", STRIP, 9, 0, 1, 0, 0, 0, 0, 16 * 12 + 8, NOTHING},
    {"resumed", LINES, 4, 0, 1, 0, 0, 0, 0, 0, RESUME},
    {"counted", STRIP, 6, 0, 1, 0, 0, 0, 0, 0, BYTE_COUNT},
    {"streams", POINTS, 9, 0, 2, 0, 0, 0, 1, 0, NOTHING},
    {"streams, resumed", POINTS, 4, 1, 1, 0, 0, 0, 1, 0, RESUME},
};

/* Memory that is mapped. */
typedef struct {
    VkBuffer handle;
    VkDeviceMemory memory;
    void *mapped;
} Buffer;

static VkInstance instance;
static VkPhysicalDevice physical;
static VkDevice device;
static VkQueue queue;
static VkCommandPool commands;
static PFN_vkCmdBindTransformFeedbackBuffersEXT bind_captures;
static PFN_vkCmdBeginTransformFeedbackEXT begin_feedback;
static PFN_vkCmdEndTransformFeedbackEXT end_feedback;
static PFN_vkCmdBeginQueryIndexedEXT begin_query;
static PFN_vkCmdEndQueryIndexedEXT end_query;
static PFN_vkCmdDrawIndirectByteCountEXT draw_byte_count;

static VkImage picture;
static VkDeviceMemory picture_memory;
static VkImageView view;
static VkRenderPass pass;
static VkFramebuffer framebuffer;
static VkPipelineLayout layout;
static VkShaderModule captured_vertex, plain_vertex, geometry, fragment;
static VkQueryPool queries;
static Buffer vertices, indices, arguments, counters, pixels, captures[2][BUFFERS];

static void check(VkResult result, const char *call) {
    if (result != VK_SUCCESS) {
        fprintf(stderr, "%s: %d\n", call, (int)result);
        exit(1);
    }
}

static uint32_t memory_type(uint32_t bits, VkMemoryPropertyFlags wanted) {
    VkPhysicalDeviceMemoryProperties all;
    vkGetPhysicalDeviceMemoryProperties(physical, &all);
    for (uint32_t n = 0; n < all.memoryTypeCount; n++) {
        if ((bits >> n & 1) != 0 && (all.memoryTypes[n].propertyFlags & wanted) == wanted) {
            return n;
        }
    }
    fprintf(stderr, "no memory of the properties %#x\n", (unsigned)wanted);
    exit(1);
}

static Buffer buffer(VkBufferUsageFlags usage, VkDeviceSize size) {
    Buffer made;
    VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = size, .usage = usage};
    CHECK(vkCreateBuffer(device, &info, NULL, &made.handle));
    VkMemoryRequirements needs;
    vkGetBufferMemoryRequirements(device, made.handle, &needs);
    VkMemoryPropertyFlags host = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    VkMemoryAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                     .allocationSize = needs.size,
                                     .memoryTypeIndex = memory_type(needs.memoryTypeBits, host)};
    CHECK(vkAllocateMemory(device, &allocate, NULL, &made.memory));
    CHECK(vkBindBufferMemory(device, made.handle, made.memory, 0));
    CHECK(vkMapMemory(device, made.memory, 0, VK_WHOLE_SIZE, 0, &made.mapped));
    return made;
}

static void destroy_buffer(Buffer gone) {
    vkDestroyBuffer(device, gone.handle, NULL);
    vkFreeMemory(device, gone.memory, NULL);
}

/* A device with the extension, if there is one. */
static void open_device(void) {
    VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_1};
    VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &application};
    CHECK(vkCreateInstance(&info, NULL, &instance));
    uint32_t count = 1;
    if (vkEnumeratePhysicalDevices(instance, &count, &physical) < VK_SUCCESS || count == 0) {
        fprintf(stderr, "there is no device\n");
        exit(1);
    }
    VkPhysicalDeviceProperties properties;
    vkGetPhysicalDeviceProperties(physical, &properties);
    CHECK(vkEnumerateDeviceExtensionProperties(physical, NULL, &count, NULL));
    VkExtensionProperties *all = calloc(count + 1, sizeof *all);
    CHECK(vkEnumerateDeviceExtensionProperties(physical, NULL, &count, all));
    VkBool32 found = VK_FALSE;
    for (uint32_t n = 0; n < count; n++) {
        found |= strcmp(all[n].extensionName, VK_EXT_TRANSFORM_FEEDBACK_EXTENSION_NAME) == 0;
    }
    free(all);
    VkPhysicalDeviceTransformFeedbackFeaturesEXT feedback = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TRANSFORM_FEEDBACK_FEATURES_EXT};
    VkPhysicalDeviceFeatures2 features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &feedback};
    vkGetPhysicalDeviceFeatures2(physical, &features);
    if (!found || !feedback.transformFeedback || !feedback.geometryStreams || !features.features.geometryShader) {
        fprintf(stderr, "%s has no transform feedback of geometry streams\n", properties.deviceName);
        exit(2);
    }
    fprintf(stderr, "%s\n", properties.deviceName);
    features.features = (VkPhysicalDeviceFeatures){.geometryShader = VK_TRUE};
    float priority = 1;
    VkDeviceQueueCreateInfo queue_info = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &priority};
    const char *extension = VK_EXT_TRANSFORM_FEEDBACK_EXTENSION_NAME;
    VkDeviceCreateInfo device_info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                      .pNext = &features,
                                      .queueCreateInfoCount = 1,
                                      .pQueueCreateInfos = &queue_info,
                                      .enabledExtensionCount = 1,
                                      .ppEnabledExtensionNames = &extension};
    CHECK(vkCreateDevice(physical, &device_info, NULL, &device));
    vkGetDeviceQueue(device, 0, 0, &queue);
    VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    CHECK(vkCreateCommandPool(device, &pool, NULL, &commands));
#define FUNCTION(name) (PFN_##name) vkGetDeviceProcAddr(device, #name)
    bind_captures = FUNCTION(vkCmdBindTransformFeedbackBuffersEXT);
    begin_feedback = FUNCTION(vkCmdBeginTransformFeedbackEXT);
    end_feedback = FUNCTION(vkCmdEndTransformFeedbackEXT);
    begin_query = FUNCTION(vkCmdBeginQueryIndexedEXT);
    end_query = FUNCTION(vkCmdEndQueryIndexedEXT);
    draw_byte_count = FUNCTION(vkCmdDrawIndirectByteCountEXT);
}

/* A picture to draw to, and a render pass that clears it and makes it ready to be copied. */
static void create_picture(void) {
    VkFormat format = VK_FORMAT_R8G8B8A8_UNORM;
    VkImageCreateInfo image = {.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
                               .imageType = VK_IMAGE_TYPE_2D,
                               .format = format,
                               .extent = {SIDE, SIDE, 1},
                               .mipLevels = 1,
                               .arrayLayers = 1,
                               .samples = VK_SAMPLE_COUNT_1_BIT,
                               .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT};
    CHECK(vkCreateImage(device, &image, NULL, &picture));
    VkMemoryRequirements needs;
    vkGetImageMemoryRequirements(device, picture, &needs);
    VkMemoryAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                     .allocationSize = needs.size,
                                     .memoryTypeIndex = memory_type(needs.memoryTypeBits, 0)};
    CHECK(vkAllocateMemory(device, &allocate, NULL, &picture_memory));
    CHECK(vkBindImageMemory(device, picture, picture_memory, 0));
    VkImageViewCreateInfo view_info = {.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
                                       .image = picture,
                                       .viewType = VK_IMAGE_VIEW_TYPE_2D,
                                       .format = format,
                                       .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}};
    CHECK(vkCreateImageView(device, &view_info, NULL, &view));
    VkAttachmentDescription attachment = {.format = format,
                                          .samples = VK_SAMPLE_COUNT_1_BIT,
                                          .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
                                          .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
                                          .stencilLoadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE,
                                          .stencilStoreOp = VK_ATTACHMENT_STORE_OP_DONT_CARE,
                                          .initialLayout = VK_IMAGE_LAYOUT_UNDEFINED,
                                          .finalLayout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL};
    VkAttachmentReference colour = {0, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL};
    VkSubpassDescription subpass = {.pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS,
                                    .colorAttachmentCount = 1,
                                    .pColorAttachments = &colour};
    VkPipelineStageFlags output = VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT, copy = VK_PIPELINE_STAGE_TRANSFER_BIT;
    VkSubpassDependency around[] = {
        {VK_SUBPASS_EXTERNAL, 0, copy | output, output, VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT,
         VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT, 0},
        {0, VK_SUBPASS_EXTERNAL, output, copy, VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT, VK_ACCESS_TRANSFER_READ_BIT, 0}};
    VkRenderPassCreateInfo pass_info = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
                                        .attachmentCount = 1,
                                        .pAttachments = &attachment,
                                        .subpassCount = 1,
                                        .pSubpasses = &subpass,
                                        .dependencyCount = COUNT(around),
                                        .pDependencies = around};
    CHECK(vkCreateRenderPass(device, &pass_info, NULL, &pass));
    VkFramebufferCreateInfo framebuffer_info = {.sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
                                                .renderPass = pass,
                                                .attachmentCount = 1,
                                                .pAttachments = &view,
                                                .width = SIDE,
                                                .height = SIDE,
                                                .layers = 1};
    CHECK(vkCreateFramebuffer(device, &framebuffer_info, NULL, &framebuffer));
}

static VkShaderModule module(const uint32_t *words, size_t bytes) {
    VkShaderModuleCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = bytes, .pCode = words};
    VkShaderModule made;
    CHECK(vkCreateShaderModule(device, &info, NULL, &made));
    return made;
}

/* Everything that cases share. */
static void create_rest(void) {
    VkPushConstantRange push = {VK_SHADER_STAGE_VERTEX_BIT, 0, 4};
    VkPipelineLayoutCreateInfo layout_info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                              .pushConstantRangeCount = 1,
                                              .pPushConstantRanges = &push};
    CHECK(vkCreatePipelineLayout(device, &layout_info, NULL, &layout));
    captured_vertex = module(number_vert, sizeof number_vert);
    plain_vertex = module(plain_vert, sizeof plain_vert);
    geometry = module(spread_geom, sizeof spread_geom);
    fragment = module(paint_frag, sizeof paint_frag);
    VkQueryPoolCreateInfo query_info = {.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
                                        .queryType = VK_QUERY_TYPE_TRANSFORM_FEEDBACK_STREAM_EXT,
                                        .queryCount = STREAMS};
    CHECK(vkCreateQueryPool(device, &query_info, NULL, &queries));
    vertices = buffer(VK_BUFFER_USAGE_VERTEX_BUFFER_BIT, VERTICES * 8);
    for (uint32_t n = 0; n < VERTICES; n++) {
        ((uint32_t *)vertices.mapped)[2 * n] = n * 7 % SIDE;
        ((uint32_t *)vertices.mapped)[2 * n + 1] = (n * 5 + n / 4) % SIDE;
    }
    indices = buffer(VK_BUFFER_USAGE_INDEX_BUFFER_BIT, sizeof INDICES);
    memcpy(indices.mapped, INDICES, sizeof INDICES);
    arguments = buffer(VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT, sizeof(VkDrawIndexedIndirectCommand));
    counters =
        buffer(VK_BUFFER_USAGE_TRANSFORM_FEEDBACK_COUNTER_BUFFER_BIT_EXT | VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT, 64);
    pixels = buffer(VK_BUFFER_USAGE_TRANSFER_DST_BIT, SIDE * SIDE * 4);
    for (uint32_t n = 0; n < 2 * BUFFERS; n++) {
        captures[n / BUFFERS][n % BUFFERS] =
            buffer(VK_BUFFER_USAGE_TRANSFORM_FEEDBACK_BUFFER_BIT_EXT | VK_BUFFER_USAGE_VERTEX_BUFFER_BIT, CAPTURE);
    }
}

/* A pipeline of a case, whose vertices lie so many bytes apart. */
static VkPipeline pipeline(const Case *of, uint32_t stride) {
    VkPipelineShaderStageCreateInfo stages[3] = {
        {.stage = VK_SHADER_STAGE_VERTEX_BIT, .module = of->geometry ? plain_vertex : captured_vertex},
        {.stage = VK_SHADER_STAGE_FRAGMENT_BIT, .module = fragment},
        {.stage = VK_SHADER_STAGE_GEOMETRY_BIT, .module = geometry}};
    for (uint32_t n = 0; n < COUNT(stages); n++) {
        stages[n].sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
        stages[n].pName = "main";
    }
    VkVertexInputBindingDescription binding = {0, stride, VK_VERTEX_INPUT_RATE_VERTEX};
    VkVertexInputAttributeDescription attribute = {0, 0, VK_FORMAT_R32G32_UINT, 0};
    VkPipelineVertexInputStateCreateInfo input = {.sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO,
                                                  .vertexBindingDescriptionCount = 1,
                                                  .pVertexBindingDescriptions = &binding,
                                                  .vertexAttributeDescriptionCount = 1,
                                                  .pVertexAttributeDescriptions = &attribute};
    VkBool32 strip = of->topology != POINTS && of->topology != LIST;
    VkPipelineInputAssemblyStateCreateInfo assembly = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO,
        .topology = of->topology,
        .primitiveRestartEnable = of->indexed && strip};
    VkViewport viewport = {0, 0, SIDE, SIDE, 0, 1};
    VkRect2D scissor = {{0, 0}, {SIDE, SIDE}};
    VkPipelineViewportStateCreateInfo viewports = {.sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO,
                                                   .viewportCount = 1,
                                                   .pViewports = &viewport,
                                                   .scissorCount = 1,
                                                   .pScissors = &scissor};
    VkPipelineRasterizationStateCreateInfo raster = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO, .lineWidth = 1};
    VkPipelineMultisampleStateCreateInfo samples = {.sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO,
                                                    .rasterizationSamples = VK_SAMPLE_COUNT_1_BIT};
    VkPipelineColorBlendAttachmentState blend = {.colorWriteMask = 0xf};
    VkPipelineColorBlendStateCreateInfo blends = {.sType = VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO,
                                                  .attachmentCount = 1,
                                                  .pAttachments = &blend};
    VkGraphicsPipelineCreateInfo info = {.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
                                         .stageCount = of->geometry ? 3 : 2,
                                         .pStages = stages,
                                         .pVertexInputState = &input,
                                         .pInputAssemblyState = &assembly,
                                         .pViewportState = &viewports,
                                         .pRasterizationState = &raster,
                                         .pMultisampleState = &samples,
                                         .pColorBlendState = &blends,
                                         .layout = layout,
                                         .renderPass = pass};
    VkPipeline made;
    CHECK(vkCreateGraphicsPipelines(device, VK_NULL_HANDLE, 1, &info, NULL, &made));
    return made;
}

/* Draws, and captures: where the counters are known, behind what was captured before. */
static void record(VkCommandBuffer c, const Case *of, VkPipeline with, Buffer *to, VkBool32 resumes, VkBool32 counted) {
    VkClearValue clear = {.color = {.float32 = {0, 0, 0, 0}}};
    VkRenderPassBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
                                   .renderPass = pass,
                                   .framebuffer = framebuffer,
                                   .renderArea = {{0, 0}, {SIDE, SIDE}},
                                   .clearValueCount = 1,
                                   .pClearValues = &clear};
    VkBuffer targets[BUFFERS] = {to[0].handle, to[1].handle}, both[BUFFERS] = {counters.handle, counters.handle};
    VkDeviceSize starts[BUFFERS] = {0, 0}, room = of->room == 0 ? CAPTURE : of->room;
    VkDeviceSize sizes[BUFFERS] = {room, room};
    VkDeviceSize places[BUFFERS] = {counted ? 32 : 0, counted ? 36 : 4};
    uint32_t add = resumes ? 2 : 1;
    vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_GRAPHICS, with);
    vkCmdPushConstants(c, layout, VK_SHADER_STAGE_VERTEX_BIT, 0, sizeof add, &add);
    /* Of what was captured the last two words are drawn: what each vertex was given. */
    VkDeviceSize from = counted ? 8 : 0;
    vkCmdBindVertexBuffers(c, 0, 1, counted ? &captures[0][0].handle : &vertices.handle, &from);
    vkCmdBindIndexBuffer(c, indices.handle, 0, VK_INDEX_TYPE_UINT16);
    vkCmdBeginRenderPass(c, &begin, VK_SUBPASS_CONTENTS_INLINE);
    bind_captures(c, 0, BUFFERS, targets, starts, sizes);
    for (uint32_t n = 0; n < STREAMS && !resumes && !counted; n++) {
        begin_query(c, queries, n, 0, n);
    }
    begin_feedback(c, 0, resumes ? BUFFERS : 0, resumes ? both : NULL, resumes ? places : NULL);
    if (counted) {
        draw_byte_count(c, 1, 0, counters.handle, 0, 0, STRIDES[0]);
    } else if (of->indirect && of->indexed) {
        vkCmdDrawIndexedIndirect(c, arguments.handle, 0, 1, 0);
    } else if (of->indirect) {
        vkCmdDrawIndirect(c, arguments.handle, 0, 1, 0);
    } else if (of->indexed) {
        vkCmdDrawIndexed(c, of->vertices, of->instances, of->first, 3, of->first_instance);
    } else {
        vkCmdDraw(c, of->vertices, of->instances, of->first, of->first_instance);
    }
    end_feedback(c, 0, BUFFERS, both, places);
    for (uint32_t n = 0; n < STREAMS && !resumes && !counted; n++) {
        end_query(c, queries, n, n);
    }
    /* One that is not captured. */
    if (!of->geometry) {
        vkCmdDraw(c, 3, 1, 20, 0);
    }
    vkCmdEndRenderPass(c);
    VkMemoryBarrier barrier = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
        .srcAccessMask =
            VK_ACCESS_TRANSFORM_FEEDBACK_WRITE_BIT_EXT | VK_ACCESS_TRANSFORM_FEEDBACK_COUNTER_WRITE_BIT_EXT,
        .dstAccessMask = VK_ACCESS_TRANSFORM_FEEDBACK_COUNTER_READ_BIT_EXT | VK_ACCESS_INDIRECT_COMMAND_READ_BIT |
                         VK_ACCESS_VERTEX_ATTRIBUTE_READ_BIT | VK_ACCESS_HOST_READ_BIT};
    VkPipelineStageFlags feedback = VK_PIPELINE_STAGE_TRANSFORM_FEEDBACK_BIT_EXT;
    VkPipelineStageFlags after = feedback | VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT | VK_PIPELINE_STAGE_VERTEX_INPUT_BIT |
                                 VK_PIPELINE_STAGE_HOST_BIT;
    vkCmdPipelineBarrier(c, feedback, after, 0, 1, &barrier, 0, NULL, 0, NULL);
}

/* So many words in lines of eight. */
static void print_words(const char *what, const void *mapped, uint32_t count) {
    printf("  %s:", what);
    for (uint32_t n = 0; n < count; n++) {
        printf("%s%08x", n % 8 == 0 ? "\n    " : " ", (unsigned)((const uint32_t *)mapped)[n]);
    }
    printf("\n");
}

/* What a case has left. */
static void print(const Case *of) {
    uint64_t answers[STREAMS][2];
    VkQueryResultFlags flags = VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT;
    CHECK(vkGetQueryPoolResults(device, queries, 0, STREAMS, sizeof answers, answers, sizeof answers[0], flags));
    const uint32_t *bytes = counters.mapped;
    printf("%s: %u and %u bytes", of->name, (unsigned)bytes[0], (unsigned)bytes[1]);
    for (uint32_t n = 0; n < STREAMS; n++) {
        printf(", %u of %u primitives of stream %u", (unsigned)answers[n][0], (unsigned)answers[n][1], (unsigned)n);
    }
    printf("\n");
    for (uint32_t n = 0; n < 2 * BUFFERS; n++) {
        static const char *const names[] = {"buffer 0", "buffer 1", "again, buffer 0", "again, buffer 1"};
        const uint32_t *words = captures[n / BUFFERS][n % BUFFERS].mapped;
        uint32_t count = CAPTURE / 4;
        while (count > 0 && words[count - 1] == UNTOUCHED) {
            count--;
        }
        if (count > 0) {
            print_words(names[n], words, count);
        }
    }
    /* Of each channel there are sixteen values: red, green and blue. */
    printf("  picture:");
    for (uint32_t n = 0; n < SIDE * SIDE; n++) {
        const uint8_t *pixel = (const uint8_t *)pixels.mapped + 4 * n;
        printf("%s", n % SIDE == 0 ? "\n    " : " ");
        if (pixel[3] == 0) {
            printf("...");
        } else {
            printf("%x%x%x", pixel[0] / 17u, pixel[1] / 17u, pixel[2] / 17u);
        }
    }
    printf("\n");
}

static void run(const Case *of) {
    for (uint32_t n = 0; n < 2 * BUFFERS * CAPTURE / 4; n++) {
        Buffer *to = &captures[n % (2 * BUFFERS) / BUFFERS][n % BUFFERS];
        ((uint32_t *)to->mapped)[n / (2 * BUFFERS)] = UNTOUCHED;
    }
    memset(counters.mapped, 0, 64);
    if (of->indexed) {
        VkDrawIndexedIndirectCommand draw = {of->vertices, of->instances, of->first, 3, of->first_instance};
        memcpy(arguments.mapped, &draw, sizeof draw);
    } else {
        VkDrawIndirectCommand draw = {of->vertices, of->instances, of->first, of->first_instance};
        memcpy(arguments.mapped, &draw, sizeof draw);
    }
    VkPipeline first = pipeline(of, 8), second = pipeline(of, STRIDES[0]);
    VkCommandBuffer buffers[2];
    VkCommandBufferAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                            .commandPool = commands,
                                            .commandBufferCount = COUNT(buffers)};
    CHECK(vkAllocateCommandBuffers(device, &allocate, buffers));
    VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    CHECK(vkBeginCommandBuffer(buffers[0], &begin));
    vkCmdResetQueryPool(buffers[0], queries, 0, STREAMS);
    record(buffers[0], of, first, captures[0], VK_FALSE, VK_FALSE);
    if (of->then == BYTE_COUNT) {
        record(buffers[0], of, second, captures[1], VK_FALSE, VK_TRUE);
    }
    CHECK(vkEndCommandBuffer(buffers[0]));
    CHECK(vkBeginCommandBuffer(buffers[1], &begin));
    if (of->then == RESUME) {
        record(buffers[1], of, first, captures[0], VK_TRUE, VK_FALSE);
    }
    VkBufferImageCopy copy = {.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1}, .imageExtent = {SIDE, SIDE, 1}};
    vkCmdCopyImageToBuffer(buffers[1], picture, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, pixels.handle, 1, &copy);
    VkMemoryBarrier read = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                            .srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
                            .dstAccessMask = VK_ACCESS_HOST_READ_BIT};
    VkPipelineStageFlags host = VK_PIPELINE_STAGE_HOST_BIT;
    vkCmdPipelineBarrier(buffers[1], VK_PIPELINE_STAGE_TRANSFER_BIT, host, 0, 1, &read, 0, NULL, 0, NULL);
    CHECK(vkEndCommandBuffer(buffers[1]));
    VkSubmitInfo submit = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = COUNT(buffers), .pCommandBuffers = buffers};
    CHECK(vkQueueSubmit(queue, 1, &submit, VK_NULL_HANDLE));
    CHECK(vkQueueWaitIdle(queue));
    print(of);
    vkFreeCommandBuffers(device, commands, COUNT(buffers), buffers);
    vkDestroyPipeline(device, first, NULL);
    vkDestroyPipeline(device, second, NULL);
}

static void destroy(void) {
    Buffer all[] = {vertices, indices, arguments, counters, pixels};
    for (uint32_t n = 0; n < COUNT(all); n++) {
        destroy_buffer(all[n]);
    }
    for (uint32_t n = 0; n < 2 * BUFFERS; n++) {
        destroy_buffer(captures[n / BUFFERS][n % BUFFERS]);
    }
    VkShaderModule modules[] = {captured_vertex, plain_vertex, geometry, fragment};
    for (uint32_t n = 0; n < COUNT(modules); n++) {
        vkDestroyShaderModule(device, modules[n], NULL);
    }
    vkDestroyQueryPool(device, queries, NULL);
    vkDestroyPipelineLayout(device, layout, NULL);
    vkDestroyFramebuffer(device, framebuffer, NULL);
    vkDestroyRenderPass(device, pass, NULL);
    vkDestroyImageView(device, view, NULL);
    vkDestroyImage(device, picture, NULL);
    vkFreeMemory(device, picture_memory, NULL);
    vkDestroyCommandPool(device, commands, NULL);
    vkDestroyDevice(device, NULL);
    vkDestroyInstance(instance, NULL);
}

int main(int count, char **names) {
    open_device();
    create_picture();
    create_rest();
    for (uint32_t n = 0; n < COUNT(CASES); n++) {
        if (count < 2 || strcmp(names[1], CASES[n].name) == 0) {
            run(&CASES[n]);
        }
    }
    destroy();
    return 0;
}
