// The house rules: which room may enter which, and what it may use. A new room is a new row, with the reason for it.
// Checked by `npm run check`; test/house/imports.test.ts proves that every rule bites.

/**
 * `enters`: rooms it may import from. `types`: modules of which it may import types only. `packages`: npm packages;
 * `dynamicPackages`: those that only an `await import()` may name. `node`: whether it may use Node's built-in modules.
 */
const ROOMS = {
  contracts: { enters: [], packages: [], node: false },
  policy: { enters: ['contracts'], packages: [], node: false },
  workflows: {
    enters: ['contracts', 'policy'],
    types: ['activities/index'],
    packages: ['@temporalio/workflow', '@temporalio/common'],
    node: false,
  },
  activities: {
    enters: ['contracts', 'policy'],
    packages: ['@temporalio/activity', '@temporalio/common'],
    node: true,
  },
  middleware: { enters: ['contracts', 'policy'], packages: [], node: false },
  // Provider packages are optional peers.
  providers: {
    enters: ['contracts', 'policy'],
    packages: ['@ai-sdk/provider', '@modelcontextprotocol/client'],
    dynamicPackages: ['@ai-sdk/.+', '@openrouter/ai-sdk-provider'],
    node: true,
  },
  // A driver is loaded only for the store that needs it.
  stores: { enters: ['contracts'], packages: [], dynamicPackages: ['pg', '@aws-sdk/client-s3'], node: true },
  testing: { enters: ['contracts', 'policy'], packages: [], node: true },
  // For other people's services, which run nothing else of ours: a room apart keeps Temporal out of them.
  receiver: { enters: ['contracts', 'policy'], packages: [], node: true },
  temporal: { enters: ['contracts', 'policy'], packages: ['@temporalio/.+', '@opentelemetry/.+'], node: true },
  client: {
    enters: ['contracts', 'policy', 'temporal', 'stores', 'workflows/messages'],
    types: ['workflows/index'],
    packages: ['@temporalio/client', '@temporalio/common'],
    node: true,
  },
  // For web servers of the user's: a room apart, because the `ai` package is an optional peer. Web standards only.
  chat: { enters: ['contracts', 'policy', 'client'], packages: ['ai'], node: false },
  workers: {
    enters: ['contracts', 'policy', 'workflows', 'activities', 'middleware', 'providers', 'stores', 'temporal'],
    packages: ['@temporalio/worker', '@temporalio/client', '@temporalio/common', 'undici', 'standardwebhooks'],
    node: true,
  },
  cli: {
    enters: ['contracts', 'policy', 'client', 'workers', 'temporal', 'stores', 'providers', 'testing'],
    packages: ['commander', 'log-update', 'picocolors', 'string-width'],
    node: true,
  },
};

/** Packages of the vocabulary: every room may use their types, as contracts does. */
const VOCABULARY = ['@ai-sdk/provider', '@standard-schema/spec'];

/** Doors, and processes that are started by path: nothing in src imports them. */
const FROM_OUTSIDE = String.raw`^src/([^/]+|cli/main|[a-z]+/index|.*[.-]process)\.ts$`;

const NPM = ['npm', 'npm-dev', 'npm-peer', 'npm-optional', 'npm-no-pkg', 'npm-unknown', 'unknown', 'undetermined'];
const anyOf = (patterns) => `(${patterns.join('|')})`;
const TYPES_ONLY = ['type-only', 'type-import'];
const packagePath = (names) => `(^|/)node_modules/${anyOf(names)}/|^${anyOf(names)}(/|$)`;
const say = (names) => (names.length === 0 ? 'nothing' : names.join(', '));

function rulesOf(room, { enters, types = [], packages, dynamicPackages = [], node }) {
  const from = { path: `^src/${room}/` };
  const typesOnly = types.length > 0 ? `, and types of ${say(types)}` : '';
  return [
    {
      name: `${room}-enters`,
      comment: `${room} may import from ${say(enters)}${typesOnly}. Move the code to a room that may, or pass it in as an argument.`,
      from,
      to: {
        path: '^(src|bin|test|bench|examples|scripts)/',
        pathNot: `^src/${anyOf([room, ...enters, ...types])}(/|\\.ts$)`,
      },
    },
    ...types.map((module) => ({
      name: `${room}-types-of-${module.replace('/', '-')}`,
      comment: `Of ${module} only types may be imported in ${room}: write \`import type\`.`,
      from,
      to: { path: `^src/${module}\\.ts$`, dependencyTypesNot: TYPES_ONLY },
    })),
    {
      name: `${room}-packages`,
      comment: `${room} may use these packages: ${say(packages)}. Wrap the package where it is allowed, or change the table in .dependency-cruiser.cjs and say why.`,
      from,
      to: {
        dependencyTypes: NPM,
        dependencyTypesNot: ['core'],
        pathNot: String.raw`^\./|` + packagePath([...packages, ...dynamicPackages, ...VOCABULARY]),
      },
    },
    {
      name: `${room}-vocabulary`,
      comment: `Of ${say(VOCABULARY)} only types may be imported in ${room}: write \`import type\`.`,
      from,
      to: {
        path: packagePath(VOCABULARY.filter((name) => !packages.includes(name))),
        dependencyTypesNot: TYPES_ONLY,
      },
    },
    ...(dynamicPackages.length > 0
      ? [
          {
            name: `${room}-loads-late`,
            comment: `${say(dynamicPackages)}: not everybody has them. Load them with \`await import()\` where they are needed.`,
            from,
            to: {
              path: packagePath(dynamicPackages),
              pathNot: packagePath([...packages, ...VOCABULARY]),
              dynamic: false,
              dependencyTypesNot: TYPES_ONLY,
            },
          },
        ]
      : []),
    ...(node
      ? []
      : [
          {
            name: `${room}-without-node`,
            comment: `${room} runs where there is no Node. Take what you need as an argument, or move the code to a room that may use Node.`,
            from,
            to: { dependencyTypes: ['core'] },
          },
        ]),
  ].filter((rule) => rule.to.path !== packagePath([]));
}

module.exports = {
  forbidden: [
    ...Object.entries(ROOMS).flatMap(([room, row]) => rulesOf(room, row)),
    {
      name: 'doors-only-open',
      comment:
        'The files directly in src are doors: they re-export what rooms make, and use nothing else. Move the code to a room.',
      from: { path: '^src/[^/]+\\.ts$' },
      to: { dependencyTypes: [...NPM, 'core'], pathNot: String.raw`^\./` },
    },
    {
      name: 'known-rooms',
      comment:
        'This folder has no row in .dependency-cruiser.cjs. Put the file into a room, or add a row and say why a room was needed.',
      from: { path: '^src/[^/]+/', pathNot: `^src/${anyOf(Object.keys(ROOMS))}/` },
      to: {},
    },
    {
      name: 'no-test-code',
      comment: 'What users get must not need test, bench, examples or scripts. Move the code to src/testing.',
      from: { path: '^src/' },
      to: { path: '^(test|bench|examples|scripts)/' },
    },
    {
      name: 'no-cycle',
      comment: 'These files need each other. Move what both need into a third file, or pass it in as an argument.',
      from: { path: '^src/' },
      to: { circular: true },
    },
    {
      name: 'no-orphan',
      comment: 'Nothing uses this file. Delete it, or import it where it belongs.',
      module: { path: '^src/', pathNot: FROM_OUTSIDE, numberOfDependentsLessThan: 1 },
      from: { path: '^src/' },
    },
    {
      name: 'no-unresolved',
      comment: 'This import leads nowhere. Correct the path, or add the package to package.json.',
      from: { path: '^src/' },
      to: { couldNotResolve: true },
    },
  ].map((rule) => ({ ...rule, severity: 'error' })),
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: 'specify',
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default', 'types'] },
  },
};
