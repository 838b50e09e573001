//! Calls of the console's library that nothing is behind: each returns the library's error and is named once in the log. Names: shadPS4,
//! `src/core/libraries/gnmdriver/gnmdriver.h`.
#![allow(non_snake_case, reason = "the names are the console's")]

use crate::library::error::FAILURE;
use std::panic::catch_unwind;
use std::sync::Once;

macro_rules! absent {
    ($($symbol:ident)*) => {
        $(
            #[doc = concat!("`", stringify!($symbol), "`: nothing is behind it.")]
            #[unsafe(no_mangle)]
            pub extern "sysv64" fn $symbol() -> i32 {
                static ONCE: Once = Once::new();
                // Whoever listens to the log is a stranger.
                let _said = catch_unwind(|| {
                    ONCE.call_once(|| tracing::warn!("{} is called, and is not there", stringify!($symbol)));
                });
                FAILURE
            }
        )*

        /// All of them.
        pub const ABSENT: &[&str] = &[$(stringify!($symbol)),*];
    };
}

absent! {
    sceGnmAddEqEvent sceGnmBeginWorkload sceGnmComputeWaitOnAddress sceGnmComputeWaitSemaphore
    sceGnmCreateWorkloadStream sceGnmDebuggerGetAddressWatch sceGnmDebuggerHaltWavefront sceGnmDebuggerReadGds
    sceGnmDebuggerReadSqIndirectRegister sceGnmDebuggerResumeWavefront sceGnmDebuggerResumeWavefrontCreation
    sceGnmDebuggerSetAddressWatch sceGnmDebuggerWriteGds sceGnmDebuggerWriteSqIndirectRegister
    sceGnmDebugHardwareStatus sceGnmDebugModuleReset sceGnmDebugReset sceGnmDeleteEqEvent sceGnmDestroyWorkloadStream
    sceGnmDisableMipStatsReport sceGnmDispatchIndirectOnMec sceGnmDrawIndexIndirectCountMulti
    sceGnmDrawIndexIndirectMulti sceGnmDrawIndexMultiInstanced sceGnmDrawIndirectCountMulti sceGnmDrawIndirectMulti
    sceGnmDrawInitToDefaultContextState sceGnmDrawInitToDefaultContextState400
    sceGnmDrawInitToDefaultContextStateInternalCommand sceGnmDrawInitToDefaultContextStateInternalSize
    sceGnmDrawOpaqueAuto sceGnmDriverCaptureInProgress sceGnmDriverInternalRetrieveGnmInterface
    sceGnmDriverInternalRetrieveGnmInterfaceForGpuDebugger sceGnmDriverInternalRetrieveGnmInterfaceForGpuException
    sceGnmDriverInternalRetrieveGnmInterfaceForHDRScopes sceGnmDriverInternalRetrieveGnmInterfaceForReplay
    sceGnmDriverInternalRetrieveGnmInterfaceForResourceRegistration
    sceGnmDriverInternalRetrieveGnmInterfaceForValidation sceGnmDriverInternalVirtualQuery sceGnmDriverTraceInProgress
    sceGnmDriverTriggerCapture sceGnmEndWorkload sceGnmFindResources sceGnmFindResourcesPublic
    sceGnmGetCoredumpAddress sceGnmGetCoredumpMode sceGnmGetCoredumpProtectionFaultTimestamp sceGnmGetDbgGcHandle
    sceGnmGetDebugTimestamp sceGnmGetEqEventType sceGnmGetEqTimeStamp sceGnmGetGpuBlockStatus
    sceGnmGetGpuCoreClockFrequency sceGnmGetGpuInfoStatus sceGnmGetLastWaitedAddress sceGnmGetNumTcaUnits
    sceGnmGetOffChipTessellationBufferSize sceGnmGetOwnerName sceGnmGetPhysicalCounterFromVirtualized
    sceGnmGetProtectionFaultTimeStamp sceGnmGetResourceBaseAddressAndSizeInBytes sceGnmGetResourceName
    sceGnmGetResourceRegistrationBuffers sceGnmGetResourceShaderGuid sceGnmGetResourceType sceGnmGetResourceUserData
    sceGnmGetShaderProgramBaseAddress sceGnmGetShaderStatus sceGnmGetTheTessellationFactorRingBufferBaseAddress
    sceGnmGpuPaDebugEnter sceGnmGpuPaDebugLeave sceGnmInsertDingDongMarker sceGnmInsertPushColorMarker
    sceGnmInsertSetColorMarker sceGnmInsertThreadTraceMarker sceGnmIsCoredumpValid sceGnmIsUserPaEnabled
    sceGnmLogicalCuIndexToPhysicalCuIndex sceGnmLogicalCuMaskToPhysicalCuMask sceGnmLogicalTcaUnitToPhysical
    sceGnmPaDisableFlipCallbacks sceGnmPaEnableFlipCallbacks sceGnmPaHeartbeat
    sceGnmQueryResourceRegistrationUserMemoryRequirements sceGnmRaiseUserExceptionEvent sceGnmRegisterGdsResource
    sceGnmRegisterGnmLiveCallbackConfig sceGnmRegisterOwner sceGnmRegisterOwnerForSystem sceGnmRegisterResource
    sceGnmRequestFlipAndSubmitDone sceGnmRequestFlipAndSubmitDoneForWorkload sceGnmRequestMipStatsReportAndReset
    sceGnmSdmaClose sceGnmSdmaConstFill sceGnmSdmaCopyLinear sceGnmSdmaCopyTiled sceGnmSdmaCopyWindow sceGnmSdmaFlush
    sceGnmSdmaGetMinCmdSize sceGnmSdmaOpen sceGnmSetGsRingSizes sceGnmSetResourceRegistrationUserMemory
    sceGnmSetResourceUserData sceGnmSetSpiEnableSqCounters sceGnmSetSpiEnableSqCountersForUnitInstance
    sceGnmSetupMipStatsReport sceGnmSetWaveLimitMultiplier sceGnmSetWaveLimitMultipliers sceGnmSpmEndSpm sceGnmSpmInit
    sceGnmSpmInit2 sceGnmSpmSetDelay sceGnmSpmSetMuxRam sceGnmSpmSetMuxRam2 sceGnmSpmSetSelectCounter
    sceGnmSpmSetSpmSelects sceGnmSpmSetSpmSelects2 sceGnmSpmStartSpm sceGnmSqttFini sceGnmSqttFinishTrace
    sceGnmSqttGetBcInfo sceGnmSqttGetGpuClocks sceGnmSqttGetHiWater sceGnmSqttGetStatus sceGnmSqttGetTraceCounter
    sceGnmSqttGetTraceWptr sceGnmSqttGetWrapCounts sceGnmSqttGetWrapCounts2 sceGnmSqttGetWritebackLabels
    sceGnmSqttInit sceGnmSqttSelectMode sceGnmSqttSelectTarget sceGnmSqttSelectTokens sceGnmSqttSetCuPerfMask
    sceGnmSqttSetDceEventWrite sceGnmSqttSetHiWater sceGnmSqttSetTraceBuffer2 sceGnmSqttSetTraceBuffers
    sceGnmSqttSetUserData sceGnmSqttSetUserdataTimer sceGnmSqttStartTrace sceGnmSqttStopTrace
    sceGnmSqttSwitchTraceBuffer sceGnmSqttSwitchTraceBuffer2 sceGnmSqttWaitForEvent
    sceGnmUnregisterAllResourcesForOwner sceGnmUnregisterOwnerAndResources sceGnmUnregisterResource
    sceGnmValidateCommandBuffers sceGnmValidateDisableDiagnostics sceGnmValidateDisableDiagnostics2
    sceGnmValidateDispatchCommandBuffers sceGnmValidateDrawCommandBuffers sceGnmValidateGetDiagnosticInfo
    sceGnmValidateGetDiagnostics sceGnmValidateGetVersion sceGnmValidateOnSubmitEnabled sceGnmValidateResetState
    sceGnmValidationRegisterMemoryCheckCallback
}
