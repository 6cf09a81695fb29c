import type { Example, ExampleGround } from '../operations/example.ts';

/** Examples of Git connections, to a host of which nothing is known but that it speaks git. */
export function gitExamples({ api, ours, git }: ExampleGround): Record<string, Example> {
  const project = async () => {
    const made = await api.call('POST', '/api/v1/projects', { as: ours.tokens.admin, body: { name: 'Allowed' } });
    return { projectId: (made.body.project as { id: string }).id };
  };
  const named = () => ({ host: git.url, label: `Git ${crypto.randomUUID()}`, token: 'ada:swordfish' });
  const connection = async () => {
    const made = await api.call('POST', '/api/v1/git-connections/selfhosted-token', {
      as: ours.tokens.admin,
      body: named(),
    });
    await git.commit('team/app.git', { 'index.html': 'Hello' });
    return { id: String(made.body.id) };
  };
  return {
    'gitConnections.list': { prepare: connection },
    'gitConnections.createSelfhosted': {
      body: named,
      also: [{ prepare: project, body: ({ projectId }) => ({ ...named(), projectIds: [projectId] }) }],
    },
    // No host that everybody knows is asked from here: this token says of none that it is theirs.
    'gitConnections.createHosted': {
      prepare: project,
      body: ({ projectId }) => ({ token: 'swordfish', projectIds: [projectId] }),
      fails: 422,
    },
    'gitConnections.update': {
      prepare: async () => ({ ...(await project()), ...(await connection()) }),
      body: ({ projectId }) => ({ projectIds: [projectId] }),
    },
    'gitConnections.delete': { prepare: connection },
    'gitConnections.check': { prepare: connection },
    'gitConnections.branches': { prepare: connection, query: () => ({ repository: 'team/app' }) },
    'gitConnections.repositories': { prepare: connection },
    'repositoryConfig.detect': {
      personal: true,
      prepare: connection,
      body: ({ id }) => ({ gitConnectionId: id, repository: 'team/app', branch: 'main' }),
    },
    'repositoryConfig.detectProject': {
      personal: true,
      prepare: connection,
      body: ({ id }) => ({ gitConnectionId: id, repository: 'team/app', branch: 'main' }),
    },
    'repositoryConfig.publicBranches': { personal: true, body: () => ({ gitUrl: `${git.url}/team/app.git` }) },
    'gitConnections.webhookSecret': { prepare: connection },
  };
}
