import { defineAgent, defineConfig, defineTool, type Config } from 'holdfast';
import { scriptedModel } from 'holdfast/testing';
import { z } from 'zod';

/** A configuration with one agent that posts a digest; `post` is what really posts it. */
export function digestConfig(taskQueue: string, post: (text: string) => void): Config {
  const postDigest = defineTool({
    name: 'post_digest',
    description: 'Posts the digest to the team.',
    input: z.object({ text: z.string() }),
    timeout: '10s',
    // Once for each task, and each firing of the schedule is a task of its own.
    intent: () => 'digest',
    execute: async ({ text }) => {
      post(text);
      return { posted: text };
    },
  });
  const standIn = scriptedModel(({ user, results: [posted] }) =>
    posted ? { text: 'The digest is out.' } : { calls: [{ tool: 'post_digest', input: { text: user } }] },
  );
  const instructions = 'Post what happened since the last digest.';
  return defineConfig({
    agents: [defineAgent({ name: 'digest', instructions, model: standIn, tools: [postDigest] })],
    taskQueue,
  });
}
