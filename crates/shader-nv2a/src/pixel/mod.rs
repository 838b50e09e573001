//! Texture shader, register combiners, final combiner, and the tests on a pixel.
