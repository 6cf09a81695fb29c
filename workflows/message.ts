/** The one argument of every signal: its id is the id of the outbox entry, so that hearing it twice is harmless. */
export interface ReceivedMessage<Body = object> {
  id: string;
  body: Body;
}
