import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { heldImages } from '../deployments/held-image.ts';
import { freePort } from '../ground/free-port.ts';
import { Installation, type Session } from '../installation/installation.ts';
import type { At } from './facts.ts';

/** A service in an environment, as clients use it. */
export interface Place extends At {
  name: string;
  project: { id: string; slug: string };
  slug: string;
  processId: string;
  /** Its releases run a release command, and say by `NUMBER` which they are. */
  numbered: boolean;
  /** By which the ingress knows it; empty until something of it is live. */
  host: string;
}

/** An installation of a run's own, with applications that are live before the first fault. */
export interface Ground {
  installation: Installation;
  organizationId: string;
  ingressPort: number;
  directory: string;
  admin: Session;
  /** Lines that release commands have written: the `NUMBER` of each. */
  commandLines(): string[];
  /** One that writes such a line and ends with this code. */
  releaseCommand(code: number): string[];
  places: Places;
  /** Of the same application: a promotion needs an image that is not there yet. */
  images: string[];
  close(): Promise<void>;
}

export interface Places {
  /** Of one service. */
  shop: { staging: Place; production: Place };
  cart: Place;
  /** Two of one environment. */
  api: Place;
  jobs: Place;
  pump: Place;
  pages: Place;
}

type Made = { id: string; slug: string };

/** `name`: under which its logs are kept. */
export async function openGround(name: string, under = tmpdir()): Promise<Ground> {
  const directory = mkdtempSync(join(under, 'ballast-chaos-'));
  chmodSync(directory, 0o755);
  const written = join(directory, 'commands');
  writeFileSync(written, '');
  chmodSync(written, 0o666);
  const releaseCommand = (code: number) => ['/bin/sh', '-c', `echo "$NUMBER" >> ${written}; exit ${code}`];
  const [registry, ingressPort] = [await heldImages(), await freePort()];
  const images = [registry.reference];
  for (const tag of ['2', '3']) {
    const image = await registry.hold(tag);
    image.arrive();
    images.push(image.reference);
  }
  const local = { LOCAL_CLUSTER: 'true', LOCAL_DRIVER: 'process', INGRESS_PORT: String(ingressPort) };
  const installation = await Installation.start(
    name,
    // The ids of requests are kept from a trusted proxy, so that the audit log tells which attempt had an effect.
    { ...local, OUTBOUND_ALLOWED_RANGES: '127.0.0.0/8', TRUSTED_PROXIES: '127.0.0.1' },
    under,
  );
  const close = async () => {
    await installation.remove().finally(() => registry.close());
    rmSync(directory, { recursive: true, force: true });
  };
  try {
    const { kysely } = await installation.database();
    const row = kysely.selectFrom('organization').select('id').where('slug', '=', 'default');
    const { id: organizationId } = await row.executeTakeFirstOrThrow();
    const admin = await installation.session(organizationId, 'admin');
    const places = await furnish(installation, organizationId, admin, registry.reference, releaseCommand(0));
    const lines = () => (existsSync(written) ? readFileSync(written, 'utf8').split('\n').filter(Boolean) : []);
    const ground = { installation, organizationId, ingressPort, directory, admin, places, images, releaseCommand };
    return { ...ground, commandLines: lines, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Projects whose services run an image each, and one whose pages are built. */
async function furnish(
  installation: Installation,
  organizationId: string,
  admin: Session,
  imageRepository: string,
  releaseCommand: string[],
): Promise<Places> {
  const decider = await installation.session(organizationId, 'owner');
  const must = async <T>(method: string, path: string, body?: object, as = admin): Promise<T> => {
    const answer = await installation.call(method, `/api/v1${path}`, { as, ...(body && { body }) });
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
    return answer.body as T;
  };
  await installation.until('the local cluster is ready', async (see) => {
    const { items } = see(await must<{ items: { status: string }[] }>('GET', '/clusters'));
    return items[0]?.status === 'ready';
  });
  const project = async (name: string) => {
    const made = await must<{ project: Made; environments: [Made, Made] }>('POST', '/projects', { name });
    const [production, staging] = made.environments;
    return { project: made.project, production: production.id, staging: staging.id };
  };
  type InProject = Awaited<ReturnType<typeof project>>;
  const service = async ({ project, staging }: InProject, name: string, numbered = true): Promise<Place> => {
    const process = { drainSeconds: 5, stabilizationSeconds: 1 };
    const image = { source: { kind: 'image', imageRepository }, releaseCommand };
    const body = { name, environmentId: staging, process, ...(numbered ? image : {}) };
    const made = await must<{ service: Made; processes: [Made] }>('POST', `/projects/${project.id}/services`, body);
    const at = { environmentId: staging, serviceId: made.service.id };
    if (numbered)
      await must('PUT', `/environments/${staging}/change-set/items:batch`, { items: [number(at, 'first')] });
    return { ...at, name, project, slug: made.service.slug, processId: made.processes[0].id, numbered, host: '' };
  };
  const apply = async (environmentId: string): Promise<void> => {
    const draft = await must<{ changeSet: Made }>('GET', `/environments/${environmentId}/change-set`);
    const { approval } = await must<{ approval?: Made }>('POST', `/change-sets/${draft.changeSet.id}/apply`, {});
    if (approval) await must('POST', `/approvals/${approval.id}/decide`, { decision: 'approved' }, decider);
  };
  const [shop, site, plant, press] = [
    await project('Shop'),
    await project('Site'),
    await project('Plant'),
    await project('Press'),
  ];
  const staging = await service(shop, 'Shop');
  const places: Places = {
    shop: { staging, production: { ...staging, environmentId: shop.production } },
    cart: await service(shop, 'Cart'),
    api: await service(site, 'Api'),
    jobs: await service(site, 'Jobs'),
    pump: await service(plant, 'Pump'),
    pages: await service(press, 'Pages', false),
  };
  const create = { kind: 'service.create', serviceId: staging.serviceId };
  const items = [create, number(places.shop.production, 'first')];
  await must('PUT', `/environments/${shop.production}/change-set/items:batch`, { items });
  const environments = [shop.staging, shop.production, site.staging, plant.staging, press.staging];
  for (const one of environments) await apply(one);
  for (const place of allPlaces(places).filter(({ numbered }) => numbered)) {
    const live = async () => (await shown(installation, admin, place))?.health === 'healthy';
    await installation.until(`${place.name} is live`, live, 300);
    place.host = await hostOf(installation, admin, place);
  }
  return places;
}

interface ShownService {
  serviceId: string;
  health: string;
  addresses: { url: string }[];
}

async function shown(installation: Installation, as: Session, { environmentId, serviceId }: At) {
  const { body } = await installation.call('GET', `/api/v1/environments/${environmentId}/overview`, { as });
  return (body.services as ShownService[] | undefined)?.find((one) => one.serviceId === serviceId);
}

/** By which the ingress knows a service that has a release. */
export async function hostOf(installation: Installation, as: Session, place: At): Promise<string> {
  const url = (await shown(installation, as, place))?.addresses[0]?.url ?? '';
  if (url === '') throw new Error('It has no address yet.');
  return new URL(url).hostname;
}

/** The staged variable by which a release is known from outside. */
export function number({ serviceId }: At, to: string) {
  return { kind: 'variable.set', serviceId, key: 'NUMBER', value: to };
}

export function allPlaces({ shop, ...others }: Places): Place[] {
  return [shop.staging, shop.production, ...Object.values(others)];
}
