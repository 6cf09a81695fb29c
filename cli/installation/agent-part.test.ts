import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readSettings } from '../../domain/settings/settings.ts';
import { agentHome } from '../../runtime/home/agent-home.ts';
import { type Home, openHome } from '../../runtime/home/home.ts';
import { agentPart } from './agent-part.ts';

let directory: string;
let home: Home;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'ballast-agent-'));
  home = openHome(join(directory, 'home'));
});
afterEach(() => {
  rmSync(agentHome(home), { recursive: true, force: true });
  rmSync(directory, { recursive: true });
});

test('the agent of this machine is told the memory of builds where a setting has it, and else halves its own', () => {
  const memory = (env: Record<string, string>) => {
    const preparing = { env: {}, signal: AbortSignal.abort() };
    const { command } = agentPart(home, readSettings(env), join(directory, 'socket'), preparing);
    return command().env?.BALLAST_AGENT_BUILD_MEMORY_MIB;
  };
  expect(memory({})).toBeUndefined();
  expect(memory({ LOCAL_BUILD_MEMORY_MIB: '8192' })).toBe('8192');
});
