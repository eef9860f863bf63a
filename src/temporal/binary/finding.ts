/** What one place had to say about the Temporal CLI: `found` ready to run, or `missing` and why. */
export type Finding =
  | { readonly is: 'found'; readonly path: string; readonly version: string }
  | { readonly is: 'missing'; readonly why: string };
