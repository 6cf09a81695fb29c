import { listReferrers, listTags } from '../../db/registry/discovery.ts';
import { checkDigest } from './blob-routes.ts';
import { RegistryError } from './registry-error.ts';
import type { RegistryRoute } from './registry-route.ts';

const mostTags = 1_000;
const mostReferrers = 50;

const tags: RegistryRoute = {
  method: 'GET',
  url: 'tags/list',
  right: 'pull',
  async handle({ server, repository, query, reply }) {
    const limit = limitOf(query.n, mostTags);
    const found = await listTags(server.database.kysely, repository, { limit: limit + 1, after: query.last });
    const page = found.slice(0, limit);
    const last = page.at(-1);
    if (found.length > limit && last !== undefined) {
      const next = new URLSearchParams({ n: String(limit), last });
      reply.header('link', `</v2/${repository.path}/tags/list?${next}>; rel="next"`);
    }
    return reply.type('application/json').send(Buffer.from(JSON.stringify({ name: repository.path, tags: page })));
  },
};

const referrers: RegistryRoute = {
  method: 'GET',
  url: 'referrers/:name',
  right: 'pull',
  async handle({ server, repository, name, query, reply }) {
    checkDigest(name);
    const { artifactType, last: after } = query;
    const found = await listReferrers(server.database.kysely, repository, {
      subject: name,
      artifactType,
      limit: mostReferrers + 1,
      after,
    });
    const page = found.slice(0, mostReferrers);
    const last = page.at(-1);
    if (found.length > mostReferrers && last !== undefined) {
      const next = new URLSearchParams({ ...(artifactType === undefined ? {} : { artifactType }), last: last.digest });
      reply.header('link', `</v2/${repository.path}/referrers/${name}?${next}>; rel="next"`);
    }
    if (artifactType !== undefined) reply.header('oci-filters-applied', 'artifactType');
    const manifests = page.map(({ annotations, artifactType: type, ...one }) => ({
      ...one,
      ...(type === '' ? {} : { artifactType: type }),
      ...(annotations === null || Object.keys(annotations).length === 0 ? {} : { annotations }),
    }));
    const mediaType = 'application/vnd.oci.image.index.v1+json';
    // As bytes: to a text the framework would add a charset, and clients compare the type letter by letter.
    return reply.type(mediaType).send(Buffer.from(JSON.stringify({ schemaVersion: 2, mediaType, manifests })));
  },
};

export const discoveryRoutes = [tags, referrers] as const;

function limitOf(n: string | undefined, most: number): number {
  if (n === undefined) return most;
  if (/^\d{1,9}$/.test(n)) return Math.min(Number(n), most);
  throw new RegistryError('UNSUPPORTED', 'The number n of tags must be a whole number.', { status: 400 });
}
