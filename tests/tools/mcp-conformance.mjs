// SPDX-License-Identifier: GPL-3.0-or-later
// The server behind HTTP, where the conformance suite of the protocol looks for it; then the suite's
// scenarios that ask for what the server has. Where a scenario asks for a fixture by its name, the
// message goes to something of ours that is of that kind.
// usage: mcp-conformance.mjs SHARDWISE-CLI CONFORMANCE
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import http from 'node:http';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';

const [cli, conformance] = process.argv.slice(2);
const scenarios = ['server-initialize', 'ping', 'tools-list', 'tools-call-error', 'resources-list',
  'resources-read-text', 'prompts-list', 'prompts-get-simple',
  'prompts-get-with-args'];
const fixtures = {
  test_error_handling: { name: 'estimate', arguments: {} },
  'test://static-text': { uri: 'shardwise://keys' },
  test_simple_prompt: { name: 'plan_run', arguments: { job: '8B on 8 H100' } },
};
const translated = ({ params, ...message }) => {
  if (params?.name === 'test_prompt_with_arguments')
    params = { name: 'why_slow', arguments: { job: params.arguments.arg1, measured: params.arguments.arg2 } };
  const ours = fixtures[params?.name] ?? fixtures[params?.uri];
  return params ? { ...message, params: ours ?? params } : message;
};

// A process and a transport for each session.
const sessions = new Map();
async function open() {
  const child = new StdioClientTransport({ command: cli, args: ['mcp'] });
  const outside = new StreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    onsessioninitialized: (id) => sessions.set(id, outside),
  });
  outside.onmessage = (message) => child.send(translated(message));
  child.onmessage = (message) => outside.send(message);
  outside.onclose = () => child.close();
  await child.start();
  await outside.start();
  return outside;
}

const server = http.createServer(async (request, response) => {
  const transport = sessions.get(request.headers['mcp-session-id']) ?? await open();
  await transport.handleRequest(request, response);
}).listen(0, '127.0.0.1', async () => {
  const url = `http://127.0.0.1:${server.address().port}/mcp`;
  let failed = 0;

  for (const scenario of scenarios) {
    const run = spawn(process.execPath, [conformance, 'server', '--url', url, '--scenario', scenario]);
    let text = '';
    run.stdout.on('data', (data) => { text += data; });
    run.stderr.on('data', (data) => { text += data; });
    const status = await new Promise((resolve) => run.on('close', resolve));
    console.log(`${status === 0 ? 'passed' : 'FAILED'} ${scenario}`);
    if (status !== 0)
      console.log(text.slice(0, 2000));
    failed += status !== 0;
  }
  console.log(`${scenarios.length - failed} of ${scenarios.length} scenarios passed`);
  process.exit(failed > 0 ? 1 : 0);
});
