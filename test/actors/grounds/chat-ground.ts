import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import type { NotificationChannelView } from '../../../db/notification-channels/notification-channels.ts';
import { type Receiver, receiver } from '../../ground/receiver.ts';
import { until } from '../../ground/until.ts';
import { type ActorsGround, actorsGround } from '../actors.ts';
import { type ChannelGround, channelGround } from './channel-ground.ts';

type Sent = Awaited<ReturnType<ChannelGround['sent']>>[number];

/** Actors that are served, and for each test an organization with a chat channel; what its other side answers is the test's to say. */
export class ChatGround {
  /** Of this test. Another channel, or path, may be put in its place. */
  channel = {} as NotificationChannelView;
  path = '';
  #number = 0;
  #actors: ActorsGround | undefined;
  #chat: Receiver | undefined;
  #ours: ChannelGround | undefined;
  #stopServing: (() => Promise<void>) | undefined;

  constructor() {
    beforeAll(async () => {
      this.#actors = await actorsGround();
      this.#chat = await receiver();
      this.#stopServing = await this.#actors.serve({ outbound: this.#chat.rules });
    });
    afterAll(async () => {
      await this.#stopServing?.();
      await this.#chat?.close();
      await this.#actors?.close();
    });
    beforeEach(async () => {
      this.#ours = await channelGround(this.actors);
      this.#number += 1;
      this.path = `/services/T000/B000/s3cret${this.#number}`;
      this.channel = await this.ours.channel('chat_webhook', this.chat.url(this.path));
    });
    afterEach(() => this.chat.otherwise({ status: 200, body: 'ok' }));
  }

  get actors(): ActorsGround {
    return there(this.#actors);
  }

  get chat(): Receiver {
    return there(this.#chat);
  }

  get ours(): ChannelGround {
    return there(this.#ours);
  }

  newest = async (): Promise<Sent> => there((await this.ours.sent(this.channel))[0]);

  delivered = (state: string): Promise<Sent[]> =>
    until(`all are ${state}`, async () => {
      await this.ours.deliver();
      const all = await this.ours.sent(this.channel);
      return all.length > 0 && all.every((one) => one.state === state) && all;
    });

  attempted = (count: number): Promise<Sent> =>
    until(`${count} attempts`, async () => {
      await this.ours.deliver();
      const one = await this.newest();
      return one.attempts === count && one;
    });

  atPath = () => this.chat.requests.filter((one) => one.path === this.path);
}

function there<T>(one: T | undefined): T {
  if (one === undefined) throw new Error('It is not there.');
  return one;
}
