//! Configuration registers, of which command buffers of this generation write next to none. Source: Mesa 25.0.7,
//! `src/amd/registers/gfx7.json` (MIT).

registers! {
    0x08010 GRBM_STATUS None {}
    0x088B0 VGT_VTX_VECT_EJECT_REG None {}
    0x088C4 VGT_CACHE_INVALIDATION None {}
    0x088D4 VGT_GS_VERTEX_REUSE None {}
    0x08A14 PA_CL_ENHANCE None {}
    0x08BF0 PA_SC_ENHANCE None {}
    0x09100 SPI_CONFIG_CNTL None {}
    0x0913C SPI_CONFIG_CNTL_1 None {}
    0x098F8 GB_ADDR_CONFIG None {}
}
