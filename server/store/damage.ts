/** Something stored can't be read as it was written. It concerns the one record named; the rest can be served. */
export class StorageDamage extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'StorageDamage'
  }
}
