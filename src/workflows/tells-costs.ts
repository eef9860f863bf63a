import { patched } from '@temporalio/workflow';

/**
 * False for what an older version of these workflows did with a call's bill, which was nothing: workers of both may serve a run while
 * they are replaced. Asked only where something follows from it, so that most histories have no mark of it.
 */
export const tellsCosts = (): boolean => patched('costs');
