import type { TestProject } from 'vitest/node';

/** The real parts that tests of every room stand on, started once a run. */
export interface Ground {
  postgres: string;
  temporal: { address: string };
}

declare module 'vitest' {
  interface ProvidedContext {
    ground: Ground;
  }
}

export default function ground(project: TestProject): void {
  project.provide('ground', {
    postgres: 'postgresql://postgres:dev@127.0.0.1:54330/postgres',
    temporal: { address: '127.0.0.1:17233' },
  });
}
