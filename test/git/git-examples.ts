import type { Example, ExampleGround } from '../operations/example.ts';

/** Examples of Git connections. The issuer of the ground is a host that answers, and knows no interface of git. */
export function gitExamples({ api, ours, issuer }: ExampleGround): Record<string, Example> {
  const named = () => ({ host: issuer.url, label: `Git ${crypto.randomUUID()}`, token: 'ada:swordfish' });
  const connection = async () => {
    const made = await api.call('POST', '/api/v1/git-connections/selfhosted-token', {
      as: ours.tokens.admin,
      body: named(),
    });
    return { id: String(made.body.id) };
  };
  return {
    'gitConnections.list': { prepare: connection },
    'gitConnections.createSelfhosted': { body: named },
    // No host that everybody knows is asked from here: this token says of none that it is theirs.
    'gitConnections.createHosted': { body: () => ({ token: 'swordfish' }), fails: 422 },
    'gitConnections.delete': { prepare: connection },
    'gitConnections.check': { prepare: connection },
    // That there is a repository is tried in api/git-connections.
    'gitConnections.branches': { prepare: connection, query: () => ({ repository: 'team/app' }), fails: 422 },
    'gitConnections.repositories': { prepare: connection },
    // Findings in one are tried in api/repository-config.
    'repositoryConfig.detect': {
      prepare: connection,
      body: ({ id }) => ({ gitConnectionId: id, repository: 'team/app', branch: 'main' }),
      fails: 422,
    },
    'repositoryConfig.detectProject': {
      prepare: connection,
      body: ({ id }) => ({ gitConnectionId: id, repository: 'team/app', branch: 'main' }),
      fails: 422,
    },
    'repositoryConfig.publicBranches': { body: () => ({ gitUrl: `${issuer.url}/team/app.git` }), fails: 422 },
    'gitConnections.webhookSecret': { prepare: connection },
  };
}
