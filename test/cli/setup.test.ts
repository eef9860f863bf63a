import { afterEach, expect, test } from '@jest/globals';
import { Connection } from '@temporalio/client';
import { eventually } from '../support/eventually.ts';
import { testAddress } from '../support/rig.ts';
import { endClis, runCli } from './run-cli.ts';

afterEach(endClis);

const setup = (...args: readonly string[]) => runCli(['setup', '--address', testAddress(), ...args]);

test('setup tells of attributes that are there already', async () => {
  const { code, stdout } = await setup();
  expect(code).toBe(0);
  expect(stdout.match(/already there/g)).toHaveLength(5);
});

test('setup registers what a namespace lacks, and once is enough', async () => {
  const namespace = `setup-${process.pid}-${Date.now()}`;
  const connection = await Connection.connect({ address: testAddress() });
  const service = connection.workflowService;
  await service.registerNamespace({ namespace, workflowExecutionRetentionPeriod: { seconds: 86_400 as never } });
  // A new namespace is known to all parts of the server only after a while.
  await eventually('the namespace', () =>
    service.listWorkflowExecutions({ namespace }).then(
      () => true,
      () => false,
    ),
  );
  await connection.close();
  const first = await setup('--namespace', namespace);
  expect(first.stdout.match(/ created$/gm)).toHaveLength(5);
  expect((await setup('--namespace', namespace)).stdout.match(/already there/g)).toHaveLength(5);
});
