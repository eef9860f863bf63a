import type { Environment } from '../temporal/settings.ts';

/** Options that every command takes. */
export interface GlobalFlags {
  readonly data?: string;
  readonly config?: string;
  readonly address?: string;
  readonly namespace?: string;
  readonly profile?: string;
  readonly json?: boolean;
  readonly verbose?: boolean;
}

/** The variables that the flags set anew for this process. */
export function variablesOf({ data, address, namespace, profile }: GlobalFlags): Environment {
  const set = {
    HOLDFAST_DATA: data,
    TEMPORAL_ADDRESS: address,
    TEMPORAL_NAMESPACE: namespace,
    TEMPORAL_PROFILE: profile,
  };
  return Object.fromEntries(Object.entries(set).filter(([, value]) => value !== undefined));
}
