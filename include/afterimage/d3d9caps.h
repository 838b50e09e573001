/* Generated from the tables of afterimage-d3d9-types and afterimage-d3d9-com; do not edit.
 * AFTERIMAGE_BLESS=1 cargo test -p afterimage-d3d9-com --test headers */
/* Here for programs that include it by name. */
#include "d3d9types.h"
