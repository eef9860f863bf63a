import { makeTelemetryFilterString, Runtime, type Logger, type TelemetryOptions } from '@temporalio/worker';

/**
 * Temporal's runtime, once per process; one that the user's own code has installed stays as it is. `metricsAddress`
 * (`host:port`) serves Temporal's metrics for Prometheus. @throws Error when that address is taken.
 */
export function installRuntime(logger: Logger, metricsAddress: string | undefined): void {
  if (Runtime._instance) return;
  const logging: TelemetryOptions['logging'] = {
    forward: {},
    filter: makeTelemetryFilterString({ core: 'WARN', other: 'ERROR' }),
  };
  const prometheus = {
    bindAddress: metricsAddress ?? '',
    countersTotalSuffix: true,
    useSecondsForDurations: true,
    unitSuffix: true,
  };
  try {
    Runtime.install({
      logger,
      // We end calls in flight with a word about their outcome before we go; the runtime would not.
      shutdownSignals: [],
      telemetryOptions: { logging, ...(metricsAddress ? { metrics: { prometheus } } : {}) },
    });
  } catch (cause) {
    if (!metricsAddress) throw cause;
    throw new Error(
      `Cannot serve /metrics on ${metricsAddress}: the port is taken or not allowed. Choose another with --metrics-port.`,
      { cause },
    );
  }
}
