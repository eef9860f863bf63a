import { readFile } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { chatHandler, type ChatOptions } from '../../src/chat/index.ts';
import { toListener } from '../../src/receiver/index.ts';

/** The page and what it asks, for a server of `node:http`. The page is bundled once, now. */
export async function chatListener(options: Omit<ChatOptions, 'authorize'>): Promise<RequestListener> {
  // A demo on one's own machine. Yours: throw for whoever may not use this chat.
  const chat = chatHandler({ ...options, authorize: () => undefined });
  const files = await pageFiles();
  return toListener(async (request) => {
    const { pathname } = new URL(request.url);
    if (pathname.startsWith('/api/chat')) return chat(request);
    const file = files.get(pathname);
    return file
      ? new Response(file.body, { headers: { 'content-type': file.type } })
      : new Response(null, { status: 404 });
  });
}

interface PageFile {
  readonly type: string;
  readonly body: string;
}

const here = (file: string): string => fileURLToPath(new URL(`./page/${file}`, import.meta.url));

async function pageFiles(): Promise<ReadonlyMap<string, PageFile>> {
  const { outputFiles } = await build({
    entryPoints: [here('page.tsx')],
    bundle: true,
    write: false,
    format: 'esm',
    jsx: 'automatic',
    minify: true,
    define: { 'process.env.NODE_ENV': '"production"' },
    logLevel: 'silent',
  });
  return new Map([
    ['/', { type: 'text/html; charset=utf-8', body: await readFile(here('index.html'), 'utf8') }],
    ['/page.css', { type: 'text/css; charset=utf-8', body: await readFile(here('page.css'), 'utf8') }],
    ['/page.js', { type: 'text/javascript; charset=utf-8', body: outputFiles[0]?.text ?? '' }],
  ]);
}
