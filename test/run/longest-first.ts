import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { readTimes } from './all/times.ts';

/** The files of a project run together, so that a worker need not load the world for each of them. */
const projects = ['pure', 'web', 'installation', 'machines', 'rooms'];
/** These need a Docker engine, and would wait for the browsers of the others. */
const afterBrowsers = /docker|shipped-agent/;

/** Long files begin first, so that none of them runs alone when all others have ended, and short ones fill the end. */
export class LongestFirst extends BaseSequencer {
  readonly #times = readTimes();

  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return files.toSorted((one, other) => place(one) - place(other) || this.#rank(other) - this.#rank(one));
  }

  #rank({ moduleId }: TestSpecification): number {
    const file = relative(process.cwd(), moduleId);
    return afterBrowsers.test(file) ? -1 : (this.#times[file] ?? 0);
  }
}

function place({ project }: TestSpecification): number {
  return projects.indexOf(project.name);
}
