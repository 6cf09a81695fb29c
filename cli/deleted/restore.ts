import { command } from '../engine/command.ts';
import { Rest, restOptions } from '../engine/rest.ts';
import { printable } from '../engine/table.ts';
import { deletedItem } from './deleted-item.ts';

interface Restored {
  kind: string;
  name: string;
  slug: string;
  stopped: boolean;
}

export const deletedRestore = command({
  summary: 'Restores a deleted service, volume, environment or project',
  usage: 'NAME [--kind KIND] [--slug SLUG] [--json]',
  details: `NAME is its slug, name or id. It comes back with its settings, variables, releases and volumes, and with all that was deleted along
with it; the project or service that it was in is restored first. Services that ran are suspended. It takes an admin's token.
\`./ballast deleted purge\` does not wait until its time has passed.`,
  words: { least: 1, most: 1 },
  options: {
    kind: { type: 'string', value: 'KIND', what: 'service, database, volume, environment or project.' },
    slug: { type: 'string', value: 'SLUG', what: 'Instead of the one that it had, where that is taken by now.' },
    ...restOptions,
  },
  run: async ({ kind, slug, ...given }, [word = '']) => {
    const rest = new Rest(given);
    const item = await deletedItem(rest, word, kind);
    const body = slug === undefined ? {} : { slug };
    const restored = await rest.call<Restored>('POST', `/deleted/${item.kind}/${item.id}/restore`, body);
    if (given.json) return void process.stdout.write(`${JSON.stringify(restored, undefined, 2)}\n`);
    const called = restored.slug === '' ? printable(restored.name) : restored.slug;
    process.stdout.write(
      `The ${restored.kind} ${called} is restored.${restored.stopped ? stillOf(restored.kind) : ''}\n`,
    );
  },
});

function stillOf(kind: string): string {
  return kind === 'service'
    ? ' It is suspended where it ran; `./ballast service resume` starts it again.'
    : ' Services of it that ran are suspended; `./ballast service resume` starts each again.';
}
