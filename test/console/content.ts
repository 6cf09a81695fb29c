import { through } from '../agents/kept-machine.ts';
import { broken, offerRelease } from '../agents/offer-release.ts';
import { Applications } from '../applications/applications.ts';
import { addBuilds } from '../builds/ended-builds.ts';
import { connectRepositories, type Outside } from '../git/shown-repositories.ts';
import { type SignedIn, signIn } from '../identity/people.ts';
import { type Ask, answered, askedBy, askingAs, type Session } from './asked.ts';
import { channelsHeard, makeChannels } from './channels.ts';
import type { Console } from './console.ts';
import { deliverShop } from './delivery.ts';
import { addDevelopment } from './development.ts';
import { fillInbox } from './inbox.ts';
import { connectCluster, loseCluster } from './lost-cluster.ts';
import type { Content } from './pages/console-page.ts';
import { letTimePass } from './past.ts';
import type { Visitor } from './visitor.ts';

const everybody = [
  { name: 'Grace Hopper', email: 'grace@example.com', role: 'admin', mfa: true },
  { name: 'Katherine Johnson', email: 'katherine@example.com', role: 'deployer', mfa: true },
  { name: 'Margaret Hamilton', email: 'margaret@example.com', role: 'deployer', mfa: false },
  { name: 'Radia Perlman', email: 'radia@example.com', role: 'viewer', mfa: false },
] as const;

/** An installation as it is after some months: people, teams, tokens, clusters of which not all are well, and what happened. */
export async function fill(opened: Console, owner: Visitor, { receiver, git }: Outside): Promise<Content> {
  const { installation } = opened;
  const asked = await askedBy(opened, owner);
  const { as } = asked;
  const applications = await Applications.on(installation, as);

  await asked('PATCH', `/organizations/${as.organizationId}`, { name: 'Analytical Engines' });
  const channel = await makeChannels(asked, receiver);
  const people = await invitePeople(opened, asked, as.organizationId);
  const members = people.map(({ userId }) => userId);
  const katherine = people[1]?.in(as.organizationId) ?? as;
  // Environments that are made before have no cluster yet.
  await installation.until('the local cluster makes files', async () => {
    const { capabilities } = await asked('GET', `/clusters/${applications.clusterId}`);
    return (capabilities as { fileMounts: boolean }).fileMounts;
  });
  const delivered = await deliverShop(opened, asked, 'default', askingAs(opened, katherine));
  const running = runWorkloads(applications, `http://127.0.0.1:${installation.env.INGRESS_PORT}`);
  const invitation = await asked('POST', `/organizations/${as.organizationId}/invitations`, {
    email: 'hedy@example.com',
    role: 'deployer',
  });
  await makeTeam(asked, 'Engines', [as.userId, ...members.slice(0, 2)]);
  await makeTeam(asked, 'Navigation', members.slice(2));
  await makeTokens(opened, asked);
  await asked('POST', '/trusted-issuers', {
    name: 'Releases of the shop',
    issuer: 'https://token.actions.githubusercontent.com',
    audience: opened.url,
    claims: { repository: ['analytical-engines/shop'], ref: ['refs/heads/main', 'refs/tags/*'] },
    role: 'deployer',
  });
  await asked('POST', '/clusters', { name: 'Frankfurt', region: 'eu-central' });
  const lostCluster = await connectCluster(opened, asked, 'Oregon', 'us-west');
  await loseCluster(opened, asked, lostCluster);
  await fillInbox(await installation.database(), as.organizationId, { ...delivered, lostCluster });
  await addDevelopment(await installation.database(), asked, {
    organizationId: as.organizationId,
    deployment: delivered.deployment,
  });
  const built = await addBuilds(await installation.database(), installation.settings.KEYS_FILE, asked, {
    organizationId: as.organizationId,
    deployment: delivered.deployment,
  });
  await connectRepositories(asked, git);
  await deleteOrganization(opened, as);
  await deleteProject(opened, as);
  await deleteEnvironment(asked, delivered.deployment);
  const instance = await running;
  const workflow = await updateThatCameBack(opened, asked, applications);
  applications.close();
  await channelsHeard(opened, asked);
  await letTimePass(await installation.database());
  return {
    ...{ cluster: applications.clusterId, lostCluster, instance, workflow, invitation: String(invitation.token) },
    ...delivered,
    ...built,
    channel,
  };
}

/** Each by an invitation that it has accepted. */
async function invitePeople(opened: Console, asked: Ask, organizationId: string): Promise<SignedIn[]> {
  const database = await opened.installation.database();
  const invited: SignedIn[] = [];
  for (const { role, ...person } of everybody) {
    const signedIn = await signIn(database, person);
    const path = `/organizations/${organizationId}/invitations`;
    const { token } = await asked('POST', path, { email: person.email, role });
    await answered(opened, signedIn.in(), 'POST', `/api/v1/invitations/${token}/accept`);
    invited.push(signedIn);
  }
  return invited;
}

/** A project that nobody needs any more, and that can be restored. */
async function deleteProject(opened: Console, as: Session): Promise<void> {
  const made = await answered(opened, as, 'POST', '/api/v1/projects', { name: 'Difference Engine' });
  const { id } = made.project as { id: string };
  await answered(opened, as, 'DELETE', `/api/v1/projects/${id}`);
}

/** An environment of the shop that was a trial. */
async function deleteEnvironment(asked: Ask, deployment: string): Promise<void> {
  const { projectId } = await asked('GET', `/deployments/${deployment}`);
  const { id } = await asked('POST', `/projects/${projectId}/environments`, {
    name: 'Trial of May',
    production: false,
  });
  await asked('DELETE', `/environments/${id}`);
}

async function makeTeam(asked: Ask, name: string, userIds: string[]): Promise<void> {
  const { id } = await asked('POST', '/teams', { name });
  await asked('PUT', `/teams/${id}/members`, { userIds });
}

async function makeTokens(opened: Console, asked: Ask): Promise<void> {
  const expiresAt = new Date(Date.now() + 90 * 86_400_000).toISOString();
  await asked('POST', '/api-tokens', { name: 'Dashboards', role: 'viewer' });
  const { secret } = await asked('POST', '/api-tokens', {
    name: 'Deploys from the laptop',
    role: 'deployer',
    expiresAt,
  });
  const used = { token: String(secret), id: '' };
  await answered(opened, used, 'GET', '/api/v1/clusters');
  const { token } = await asked('POST', '/api-tokens', { name: 'Migration of May', role: 'admin', expiresAt });
  await asked('DELETE', `/api-tokens/${(token as { id: string }).id}`);
}

/** Two that run on the local cluster and have something to tell. Answers the id of an instance. */
async function runWorkloads(applications: Applications, ingress: string): Promise<string> {
  await applications.apply({ name: 'shop', replicas: 2 });
  await applications.apply({ name: 'mailer', command: ['-silent'] });
  const [shop] = await Promise.all([applications.applied('shop'), applications.applied('mailer')]);
  const host = shop.hosts[0]?.host ?? '';
  const lines = ['GET / 200 12 ms', 'GET /cart 200 31 ms', 'POST /orders 201 84 ms', 'order 1043 was paid'];
  for (const text of lines) {
    const path = `/log?count=2&text=${encodeURIComponent(text)}`;
    await through(ingress, host, path);
  }
  return shop.instances[0]?.id ?? '';
}

async function deleteOrganization(opened: Console, as: Session): Promise<void> {
  const slug = 'difference-engine';
  const { id } = await answered(opened, as, 'POST', '/api/v1/organizations', { name: 'Difference Engine', slug });
  const there = { ...as, organizationId: String(id) };
  await answered(opened, there, 'DELETE', `/api/v1/organizations/${id}`, { confirmSlug: slug });
}

/** Afterwards a newer release is offered that does work. */
async function updateThatCameBack(opened: Console, asked: Ask, { clusterId }: Applications): Promise<string> {
  const release = await offerRelease(opened.installation, broken, { version: '0.1.1' });
  const { id } = await asked('POST', `/clusters/${clusterId}/agent/update`, {});
  await opened.installation.until(
    'the update has come back',
    async () => (await asked('GET', `/clusters/${clusterId}/agent`)).inProgress === undefined,
  );
  await release.takeBack();
  await offerRelease(opened.installation, { 'NEWS.md': 'Another.\n' }, { version: '0.2.0' });
  return String(id);
}
