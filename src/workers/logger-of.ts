import { Runtime, type Logger } from '@temporalio/worker';

/** The logger of the process's own runtime. */
export const loggerOf = (): Logger => Runtime.instance().logger;
