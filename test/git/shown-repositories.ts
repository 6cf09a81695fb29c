import type { Ask } from '../console/asked.ts';
import { type Receiver, receiver } from '../ground/receiver.ts';
import { type GitServer, gitServer } from './git-server.ts';

/** All that a filled installation reaches: chats and pagers, and a host of repositories. */
export interface Outside {
  receiver: Receiver;
  git: GitServer;
  /** By these an installation reaches both. */
  settings: Receiver['settings'];
  close(): Promise<void>;
}

export async function outside(): Promise<Outside> {
  const others = await receiver();
  const git = await gitServer({ credential: 'ada:swordfish' });
  return {
    receiver: others,
    git,
    settings: others.settings,
    async close() {
      await git.close();
      await others.close();
    },
  };
}

const catalogue = {
  'package.json': JSON.stringify({
    name: 'catalogue',
    scripts: { build: 'tsc', start: 'node dist/server.js' },
    dependencies: { express: '^5.1.0' },
    devDependencies: { typescript: '^5.9.0' },
  }),
  'package-lock.json': '{"lockfileVersion":3}',
  '.nvmrc': '24\n',
  'src/server.ts': "import express from 'express';\nexpress().listen(process.env.PORT);\n",
  '.env.example':
    '# Where things are looked up\nDATABASE_URL=postgres://localhost/catalogue\n\n# Signs the cookies of visitors\nSESSION_SECRET=\n\nPAGE_SIZE=50\n\nPORT=3000\n',
};

/** A connection with two repositories: one that can be built, with two branches, and one that cannot. */
export async function connectRepositories(asked: Ask, git: GitServer): Promise<void> {
  await git.create('shop/catalogue.git');
  await git.commit('shop/catalogue.git', catalogue, { message: 'Look things up' });
  await git.commit('shop/catalogue.git', { 'src/prices.ts': 'export {};\n' }, { branch: 'prices' });
  await git.create('shop/handbook.git');
  await git.commit('shop/handbook.git', { 'README.md': '# How we work\n' });
  await asked('POST', '/git-connections/selfhosted-token', { host: git.url, label: 'Team', token: 'ada:swordfish' });
}
