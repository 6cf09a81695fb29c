/** The header in which a workflow hands its activities the id of the request that it began with. */
export const requestHeader = 'ballast-request-id';
