// The part of the house style that a program can check. The rest is in the reviewer's eye.
import { defineConfig } from 'eslint/config';
import tseslint from 'typescript-eslint';

const CLOCK_AND_DICE = 'The clock and the dice are arguments of a decision: take `now` or `random` from the caller.';
const ENVIRONMENT = 'Only src/temporal/settings.ts reads the environment: take the setting from there.';

/** @param {string} object @param {string[]} properties @param {string} message */
const forbid = (object, properties, message) => properties.map((property) => ({ object, property, message }));

// The same by other roads: `import { env }`, `new Date()`.
const environmentImport = { paths: [{ name: 'node:process', message: ENVIRONMENT }] };
const dateOfNow = { selector: 'NewExpression[callee.name="Date"][arguments.length=0]', message: CLOCK_AND_DICE };

const environment = forbid('process', ['env'], ENVIRONMENT);
const clockAndDice = [
  ...forbid('Date', ['now'], CLOCK_AND_DICE),
  ...forbid('Math', ['random'], CLOCK_AND_DICE),
  ...forbid('performance', ['now'], CLOCK_AND_DICE),
  ...forbid('crypto', ['randomUUID', 'getRandomValues'], CLOCK_AND_DICE),
];

export default defineConfig(
  { ignores: ['node_modules', 'dist', '.holdfast', 'bench', 'test/fixtures', 'test/replay/histories'] },
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  {
    files: ['**/*.ts', '**/*.tsx'],
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      // A switch over a union names every case; `default: assertNever(x)` may follow, but never stands in for one.
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: false }],
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-import-type-side-effects': 'error',
      eqeqeq: ['error', 'smart'],
      // Stricter than the style asks for.
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      '@typescript-eslint/prefer-nullish-coalescing': ['error', { ignorePrimitives: { string: true } }],
      '@typescript-eslint/no-unused-vars': ['error', { ignoreRestSiblings: true }],
      // What users write without a type checker is checked all the same.
      '@typescript-eslint/no-unnecessary-condition': 'off',
      '@typescript-eslint/no-empty-function': 'off',
      '@typescript-eslint/no-unnecessary-type-parameters': 'off',
      '@typescript-eslint/no-unsafe-enum-assignment': 'off',
      '@typescript-eslint/require-await': 'off',
      // Our objects are closures and know no `this`.
      '@typescript-eslint/unbound-method': 'off',
      '@typescript-eslint/dot-notation': 'off',
    },
  },
  {
    files: ['src/**/*.ts'],
    ignores: ['src/temporal/settings.ts'],
    rules: {
      'no-restricted-properties': ['error', ...environment],
      'no-restricted-imports': ['error', environmentImport],
    },
  },
  {
    files: ['src/policy/**/*.ts'],
    rules: {
      'no-restricted-properties': ['error', ...environment, ...clockAndDice],
      'no-restricted-syntax': ['error', dateOfNow],
    },
  },
  {
    // What users get: it imports the package by its name, and Node's own test runner waits for its tests by itself.
    files: ['templates/**/*.ts'],
    rules: { '@typescript-eslint/no-floating-promises': 'off' },
  },
  {
    files: ['test/**/*.ts'],
    rules: {
      // In a test a wrong assertion fails loudly, which is what a test is for.
      '@typescript-eslint/no-non-null-assertion': 'off',
    },
  },
);
