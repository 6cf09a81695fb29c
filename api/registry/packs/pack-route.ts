import { findSource } from '../../../db/builds/sources/sources.ts';
import { mostPackBytes } from '../../../domain/builds/pack.ts';
import { isId } from '../../../domain/ids.ts';
import { allowanceOf } from '../allowance.ts';
import { RegistryError } from '../registry-error.ts';
import type { RegistryRoute } from '../registry-route.ts';
import { tooLarge } from './read-pack.ts';
import { takePack } from './take-pack.ts';

/** Many small blobs of a source in one request: an extension of the protocol, whose paths begin with `_`. */
export const sendPack: RegistryRoute = {
  method: 'POST',
  url: '_ballast/packs/:name',
  // Of people alone: an agent fetches sources, and makes none.
  right: 'tag',
  carriesBlob: true,
  async handle({ server, store, repository, name, request, reply }) {
    const { database, settings } = server;
    const source = isId(name) ? await findSource(database.kysely, repository, name) : undefined;
    if (source === undefined) {
      throw new RegistryError(
        'MANIFEST_UNKNOWN',
        'The service has no such source: one goes a day after its last build. Announce the folder again.',
      );
    }
    const allowance = allowanceOf(database, repository.organizationId, settings);
    const declared = Number(request.headers['content-length'] ?? 0);
    if (declared > mostPackBytes) throw tooLarge();
    await allowance.checkRoom(declared);
    const taken = await takePack({ database, store, repository, sourceId: source.id, allowance }, request.raw);
    return reply.code(200).type('application/json').send(JSON.stringify(taken));
  },
};
