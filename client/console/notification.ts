import { signal } from '@preact/signals'

/** Whether the desktop may be told of new offers; undefined where there is no such thing. */
export const permission = signal(typeof Notification === 'undefined' ? undefined : Notification.permission)

export async function allow(): Promise<void> {
  permission.value = await Notification.requestPermission()
}

/** Says only that someone waits: a lock screen is no place for more. */
export function notify(offers: number): void {
  if (permission.value !== 'granted' || !document.hidden) return
  const text = offers === 1 ? 'Someone waits for you.' : `${offers} wait for you.`
  new Notification('Selfsame', { body: text, tag: 'selfsame-offers' })
}
