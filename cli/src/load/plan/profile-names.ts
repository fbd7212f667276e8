export const profileNames = ['chats', 'webhooks', 'dials', 'calls'] as const
export type ProfileName = (typeof profileNames)[number]
