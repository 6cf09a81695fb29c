/** How the agent ends for good or for a while; launcher and systemd know these numbers. */
export const exitCodes = { stopped: 0, superseded: 64, clusterDeleted: 65, switchOver: 75 } as const;
