//! The interface table against Microsoft's metadata of the Windows API: identifiers, inheritance, method order,
//! parameter names and types, and the layout of the vtables that the table expands to.

use afterimage_d3d9_types::GUID;
use d3d9::abi::{INTERFACES, InterfaceInfo, MethodInfo};
use windows_metadata::reader::{File, Index, TypeDef};
use windows_metadata::{HasAttributes, Type, Value};

const NAMESPACE: &str = "Windows.Win32";

fn metadata() -> Index {
    Index::new(vec![File::new(windows_default::WIN32.to_vec()).expect("the metadata is readable")])
}

/// A published type in the spelling of the interface table, as far as the metadata tells: it marks neither which
/// `void *` is read and which written, nor arrays of objects.
fn spelling(ty: &Type) -> String {
    match ty {
        Type::Void => String::new(),
        Type::U32 => "u32".into(),
        Type::I32 => "i32".into(),
        Type::F32 => "f32".into(),
        Type::ValueName(name) if name.name == "Matrix4x4" => "D3DMATRIX".into(),
        Type::ValueName(name) => name.name.clone(),
        Type::ClassName(name) => format!("Object<{}>", name.name),
        Type::PtrConst(to, 1) => format!("In<{}>", pointee(to)),
        Type::PtrMut(to, 1) if matches!(**to, Type::ClassName(_)) => format!("OutObject<{}>", pointee(to)),
        Type::PtrMut(to, 1) => format!("Out<{}>", pointee(to)),
        Type::PtrMut(to, 2) => format!("OutObject<{}>", pointee(to)),
        other => panic!("a type that no method uses: {other:?}"),
    }
}

fn pointee(ty: &Type) -> String {
    match ty {
        Type::Void => "c_void".into(),
        Type::ClassName(name) => name.name.clone(),
        other => spelling(other),
    }
}

fn iid(def: &TypeDef) -> GUID {
    let attribute = def.attributes().find(|a| a.name() == "GuidAttribute").expect("an interface has an identifier");
    let values: Vec<_> = attribute.value().into_iter().map(|(_, v)| v).collect();
    let [Value::U32(a), Value::U16(b), Value::U16(c), rest @ ..] = &values[..] else { panic!("{values:?}") };
    let bytes: Vec<u8> = rest.iter().map(|v| if let Value::U8(v) = v { *v } else { panic!("{v:?}") }).collect();
    GUID { Data1: *a, Data2: *b, Data3: *c, Data4: bytes.try_into().expect("eight bytes") }
}

/// Name, result, names and types of the parameters.
type Method = (String, String, Vec<(String, String)>);

fn published(index: &Index, interface: &InterfaceInfo) -> Vec<Method> {
    let def = index.expect(NAMESPACE, interface.name);
    def.methods()
        .map(|method| {
            let signature = method.signature(&[]);
            let names = method.params().filter(|p| p.sequence() > 0);
            let parameters = names.zip(&signature.types).map(|(p, ty)| (p.name().to_string(), spelling(ty))).collect();
            (method.name().to_string(), spelling(&signature.return_type), parameters)
        })
        .collect()
}

/// What the metadata has of one of our rows: it leaves a few parameters unnamed, and calls the array of
/// `CheckResourceResidency` an object that is returned.
fn ours(method: &MethodInfo, published: &[(String, String)]) -> Vec<(String, String)> {
    let unnamed = |at: usize| published.get(at).is_some_and(|(name, _)| name.starts_with("param"));
    let parameters = method.parameters.iter().enumerate().map(|(at, (name, ty))| {
        let name = if unnamed(at) { published[at].0.clone() } else { name.to_string() };
        let ty = if *ty == "In<*mut IDirect3DResource9>" { "OutObject<IDirect3DResource9>" } else { ty };
        (name, ty.to_string())
    });
    parameters.collect()
}

#[test]
fn interfaces_are_the_published_ones() {
    let index = metadata();
    for interface in INTERFACES.iter().filter(|i| i.name != "IUnknown") {
        let def = index.expect(NAMESPACE, interface.name);
        assert_eq!(interface.iid, iid(&def), "identifier of {}", interface.name);
        let base = def.interface_impls().next().expect("an interface extends another").interface(&[]);
        assert_eq!(Type::class_named(NAMESPACE, interface.base), base, "base of {}", interface.name);
        let published = published(&index, interface);
        let order: Vec<_> = interface.methods.iter().map(|m| m.name).collect();
        assert_eq!(order, published.iter().map(|m| m.0.as_str()).collect::<Vec<_>>(), "methods of {}", interface.name);
        for (method, (name, result, parameters)) in interface.methods.iter().zip(&published) {
            assert_eq!(method.result, result, "result of {}::{name}", interface.name);
            assert_eq!(ours(method, parameters), *parameters, "parameters of {}::{name}", interface.name);
        }
    }
}

#[test]
fn every_interface_of_the_headers_is_there() {
    // Those of d3d9.h; the video extensions and the device manager have headers of their own.
    let other_headers = ["IDirect3DDevice9Video", "IDirect3DDeviceManager9"];
    let index = metadata();
    let mut missing: Vec<_> = index
        .types()
        .map(|def| def.name().to_string())
        .filter(|name| name.starts_with("IDirect3D") && (name.ends_with('9') || name.ends_with("9Ex")))
        .filter(|name| !other_headers.contains(&name.as_str()))
        .filter(|name| !["CryptoSession", "AuthenticatedChannel"].iter().any(|part| name.contains(part)))
        .filter(|name| !INTERFACES.iter().any(|i| i.name == name))
        .collect();
    missing.sort();
    assert_eq!(missing, Vec::<String>::new());
}

#[test]
fn unknown_has_its_identifier() {
    let unknown = INTERFACES.iter().find(|i| i.name == "IUnknown").expect("IUnknown is in the table");
    assert_eq!(unknown.iid, GUID { Data1: 0, Data2: 0, Data3: 0, Data4: [0xc0, 0, 0, 0, 0, 0, 0, 0x46] });
    assert_eq!(unknown.methods.iter().map(|m| m.name).collect::<Vec<_>>(), ["QueryInterface", "AddRef", "Release"]);
}

/// The vtables have a slot for each row, the base's first.
#[test]
fn vtables_have_a_slot_for_each_method() {
    macro_rules! slots {
        ($($name:ident $vtable:ident)*) => {[$((stringify!($name), size_of::<d3d9::abi::$vtable>() / size_of::<usize>())),*]};
    }
    let sizes = slots!(
        IUnknown IUnknownVtable IDirect3D9 IDirect3D9Vtable IDirect3D9Ex IDirect3D9ExVtable
        IDirect3DDevice9 IDirect3DDevice9Vtable IDirect3DDevice9Ex IDirect3DDevice9ExVtable
        IDirect3DSwapChain9 IDirect3DSwapChain9Vtable IDirect3DSwapChain9Ex IDirect3DSwapChain9ExVtable
        IDirect3DStateBlock9 IDirect3DStateBlock9Vtable IDirect3DResource9 IDirect3DResource9Vtable
        IDirect3DBaseTexture9 IDirect3DBaseTexture9Vtable IDirect3DTexture9 IDirect3DTexture9Vtable
        IDirect3DVolumeTexture9 IDirect3DVolumeTexture9Vtable IDirect3DCubeTexture9 IDirect3DCubeTexture9Vtable
        IDirect3DSurface9 IDirect3DSurface9Vtable IDirect3DVolume9 IDirect3DVolume9Vtable
        IDirect3DVertexBuffer9 IDirect3DVertexBuffer9Vtable IDirect3DIndexBuffer9 IDirect3DIndexBuffer9Vtable
        IDirect3DVertexDeclaration9 IDirect3DVertexDeclaration9Vtable IDirect3DVertexShader9 IDirect3DVertexShader9Vtable
        IDirect3DPixelShader9 IDirect3DPixelShader9Vtable IDirect3DQuery9 IDirect3DQuery9Vtable
    );
    assert_eq!(sizes.len(), INTERFACES.len());
    for (name, slots) in sizes {
        let mut methods = 0;
        let mut at = name;
        while let Some(interface) = INTERFACES.iter().find(|i| i.name == at) {
            methods += interface.methods.len();
            at = interface.base;
        }
        assert_eq!(slots, methods, "slots of {name}");
    }
    assert!(sizes.contains(&("IDirect3DDevice9", 119)) && sizes.contains(&("IDirect3DDevice9Ex", 134)));
}
