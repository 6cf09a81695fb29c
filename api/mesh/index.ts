import { deleteMeshPeer } from './delete-mesh-peer.ts';
import { getMeshPeers } from './get-mesh-peers.ts';
import { getPrivatenetDevices } from './get-privatenet-devices.ts';

export const mesh = { privatenetDevices: getPrivatenetDevices, meshPeers: getMeshPeers, deleteMeshPeer };
