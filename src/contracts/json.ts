/** What can travel through history, the stores and the wire without loss. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
