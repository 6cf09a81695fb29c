import { killedAgents, moments } from '../../../test/machines/killed-agents.ts';

killedAgents(moments.filter((moment) => moment !== 'tree' && moment !== 'keeper'));
