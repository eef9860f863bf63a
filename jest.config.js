// ESM mode: the AI SDK packages are ESM only. Run through scripts/test.ts, which sets the flags Node needs.
export default {
  testEnvironment: 'node',
  roots: ['<rootDir>/test'],
  testMatch: ['**/*.test.ts'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      { jsc: { parser: { syntax: 'typescript' }, target: 'es2024' }, module: { type: 'es6' } },
    ],
  },
  globalSetup: '<rootDir>/test/support/start-server.ts',
  globalTeardown: '<rootDir>/test/support/stop-server.ts',
  testTimeout: 60_000,
  maxWorkers: 2,
};
