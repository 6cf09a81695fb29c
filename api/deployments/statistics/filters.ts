import { z } from 'zod';

const id = z.guid().toLowerCase().optional();

/** Narrow statistics; of what the caller may not see there are none. */
export const statisticsFilters = { projectId: id, environmentId: id, serviceId: id };
