import { killedAgents } from '../../../test/machines/killed-agents.ts';

// Before there is an instance, and with a run that nobody has seen begin; the other moments are in killed-agents.all.test.ts.
killedAgents(['tree', 'keeper']);
