//! COM objects and exports over the d3d9 guest; builds d3d9.dll and libd3d9.so.
