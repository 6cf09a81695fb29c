import { presentBlobs } from '../../../db/builds/sources/known-blobs.ts';
import { sourceOfRunningBuild } from '../../../db/builds/sources/sources.ts';
import type { SourceFile } from '../../../domain/builds/source-file.ts';
import { isId } from '../../../domain/ids.ts';
import { Problem } from '../../../domain/problems.ts';
import { type AgentRoute, agentRoute } from '../../agent-link/agent-route.ts';
import type { BlobStore } from '../../registry/storage/blob-store.ts';
import { sourceArchive, strayLink } from './source-archive.ts';

/** The uploaded folder of a build as a tar, for the agent of its cluster while it runs. To all others it is not there. */
export function sourceOfBuild(blobs: Pick<BlobStore, 'readBlob'>): AgentRoute {
  return agentRoute({
    method: 'GET',
    url: 'builds/:id/source',
    // The agent takes as long as it takes.
    waits: true,
    async handle({ server, id, reply }, { clusterId, organizationId }) {
      const { kysely } = server.database;
      const source = isId(id) ? await sourceOfRunningBuild(kysely, { clusterId, organizationId }, id) : undefined;
      if (source === undefined) {
        throw new Problem('not-found', 'No build with this id runs on this cluster, or it has no uploaded folder.');
      }
      refuseIncomplete(source.files, await presentBlobs(kysely, organizationId, source.id));
      const stray = await strayLink(blobs, source.files);
      if (stray !== undefined) {
        throw new Problem('conflict', `${JSON.stringify(stray.path)} ${stray.fault}. Then upload the folder again.`);
      }
      return await reply.type('application/x-tar').send(sourceArchive(blobs, source.files));
    },
  });
}

/** Once the first byte is sent, a failure can only break the connection. */
function refuseIncomplete(files: readonly SourceFile[], present: ReadonlyMap<string, number>): void {
  for (const { path, digest, size } of files) {
    const there = present.get(digest);
    if (there === size) continue;
    const why =
      there === undefined
        ? `is not in the registry (${digest}): it was not pushed, or was deleted there`
        : `has ${there} bytes, and ${size} were announced`;
    throw new Problem('conflict', `${JSON.stringify(path)} ${why}. Upload the folder again, then retry the build.`);
  }
}
