// The fault proxy as its own process: node fault-proxy-process.ts '{"target":"http://127.0.0.1:8080"}' (FaultProxyOptions as JSON).
import { startFaultProxy, type FaultProxyOptions } from './fault-proxy.ts';
import { serveUntilTold } from './serve-until-told.ts';

// Written by startFaultProxyProcess, whose argument has this type.
await serveUntilTold((options) => startFaultProxy(options as FaultProxyOptions));
