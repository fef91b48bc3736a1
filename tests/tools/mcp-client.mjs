// SPDX-License-Identifier: GPL-3.0-or-later
// A session of the SDK's own client, which checks every message and every structured answer against
// the schema that the server declares for it.
// usage: mcp-client.mjs SHARDWISE-CLI
import assert from 'node:assert/strict';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

const client = new Client({ name: 'shardwise-test', version: '1' }, { capabilities: {} });
await client.connect(new StdioClientTransport({ command: process.argv[2], args: ['mcp'] }));
assert.equal(client.getServerVersion().name, 'shardwise');
const { tools } = await client.listTools();
assert.ok(tools.length >= 20);

const stated = {
  model: { preset: 'llama-3-8b' }, cluster: { gpu: 'h100-80-sxm', gpus: 16 },
  training: { framework: 'megatron-core', tokens: 1e11, deadline: '2030-01-01' },
  strategy: { tp: 2, pp: 4, micro_batch_size: 1 },
};
const open = { ...stated, strategy: {} };
const files = [{ name: 'ds.json', text: '{"zero_optimization": {"stage": 3}}' }];
const calls = {
  find: { kind: 'gpu', words: 'h100' }, describe_model: { model: 'llama-3-8b' },
  advise: { scenario: open }, estimate: { scenario: stated }, memory: { scenario: stated },
  fits: { scenario: open, what: 'least-gpus' },
  compare: { scenario: stated, variants: [{ name: 'PP 2', changes: { 'strategy.pp': 2 } }] },
  what_if: { scenario: stated, changes: { 'strategy.tp': 4 } },
  explain: { scenario: open, dimension: 'tp' }, term: { scenario: stated, term: 'bubble' }, pipeline: { scenario: stated },
  communication: { scenario: stated }, rules: { scenario: stated }, diagnose: { files },
  scale: { scenario: open, gpus: [16, 64] }, cost: { scenario: stated },
  deadline: { scenario: open }, export: { scenario: stated, to: 'megatron' }, import: { files },
  measured: { scenario: stated }, playbook: { scenario: stated }, manual: { words: 'bubble' },
};
for (const { name } of tools.filter((tool) => tool.name !== 'apply')) {
  const result = await client.callTool({ name, arguments: calls[name] });
  assert.ok(!result.isError, `${name}: ${result.content[0].text}`);
  assert.deepEqual(JSON.parse(result.content[0].text), result.structuredContent);
}
const wrong = await client.callTool({ name: 'estimate', arguments: { scenario: open } });
assert.ok(wrong.isError && wrong.content[0].text.includes('strategy.'));
await assert.rejects(client.callTool({ name: 'none', arguments: {} }));

// Progress comes, and a call that is given up ends at once.
let told = 0;
const long = { name: 'fits', arguments: { scenario: { model: { preset: 'deepseek-v3' }, cluster: { gpus: 512 } },
  what: 'largest-model' } };
await client.callTool(long, undefined, { onprogress: () => told++ });
const stop = new AbortController();
const given_up = client.callTool(long, undefined, { signal: stop.signal });
stop.abort('enough');
await assert.rejects(given_up);
await client.ping();

const { resources } = await client.listResources();
for (const uri of ['shardwise://keys', 'shardwise://gpus', 'shardwise://manual/memory']) {
  assert.ok(resources.some((resource) => resource.uri === uri), uri);
  assert.ok((await client.readResource({ uri })).contents[0].text.length > 100);
}
await assert.rejects(client.readResource({ uri: 'file:///etc/passwd' }));
assert.equal((await client.listResourceTemplates()).resourceTemplates.length, 2);
const { prompts } = await client.listPrompts();
assert.equal(prompts.length, 3);
const prompt = await client.getPrompt({ name: 'why_not_fit', arguments: { job: '70B on 16 A100' } });
assert.ok(prompt.messages[0].content.text.includes('70B on 16 A100'));
await client.close();
console.log(`the SDK's client used ${tools.length} tools, ${resources.length} resources, ${told} messages of progress`);
