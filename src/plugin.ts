// The door `holdfast/plugin`: Holdfast in Temporal clients and workers of your own.
export { holdfast, type HoldfastPluginOptions } from './workers/holdfast-plugin.ts';
