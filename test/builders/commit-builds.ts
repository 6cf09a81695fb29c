import { expect } from 'vitest';
import type { BuildBody } from '../../protocol/build.ts';
import type { GitServer } from '../git/git-server.ts';
import type { BuilderGround, Built, Asked as More } from './builder-ground.ts';

type Source = Extract<BuildBody['source'], { kind: 'git' }>;
export interface Asked extends Partial<Pick<Source, 'ref' | 'username' | 'password'>> {
  server?: { url: string };
  limits?: Partial<BuildBody['limits']>;
  more?: More;
}

export interface CommitBuilds {
  source(name: string, commit: string, asked?: Asked): Source;
  build(name: string, commit: string, asked?: Asked): Promise<Built>;
  /** The build fails in the step `fetch` with these words, tells nothing of the machine, and leaves nothing. */
  refused(name: string, commit: string, message: RegExp, asked?: Asked): Promise<Built>;
}

/** Builds of commits that a server has. */
export function commitBuilds(groundOf: () => BuilderGround, gitOf: () => GitServer): CommitBuilds {
  const source: CommitBuilds['source'] = (name, commit, { server = gitOf(), ...asked } = {}) => {
    const { ref = 'refs/heads/main', username = '', password = '' } = asked;
    return { kind: 'git', url: `${server.url}/${name}`, ref, commit, username, password };
  };
  const build: CommitBuilds['build'] = async (name, commit, asked = {}) => {
    const limits = { ...groundOf().body().limits, ...asked.limits };
    const body = { source: source(name, commit, asked), limits };
    return await groundOf().build({}, { ...asked.more, body });
  };
  return {
    ...{ source, build },
    async refused(name, commit, message, asked) {
      const built = await build(name, commit, asked);
      const { result, log } = built;
      expect(result.outcome, log).toBe('failed');
      expect(result.message).toMatch(/^The step fetch failed: /);
      expect(result.message).toMatch(message);
      const told = `${log}${result.message}`;
      for (const secret of [groundOf().home, process.cwd(), asked?.password ?? ''])
        if (secret !== '') expect(told).not.toContain(secret);
      expect(groundOf().left()).toEqual([]);
      return built;
    },
  };
}
