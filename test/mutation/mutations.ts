/** A rule broken on purpose by a small edit of one file. Some law must notice. */
export interface Mutation {
  readonly rule: string
  readonly file: string
  readonly from: string
  readonly to: string
}

export const MUTATIONS: readonly Mutation[] = [
  {
    rule: 'settling: what was said at the moment of a correction is not set aside',
    file: 'model/standing.ts',
    from: 'if (term.at <= claim.boundary)',
    to: 'if (term.at < claim.boundary)',
  },
  {
    rule: 'settling: agents are not held',
    file: 'model/standing.ts',
    from: "? 'held' : 'counted'",
    to: "? 'counted' : 'counted'",
  },
  {
    rule: 'settling: the hold lasts a moment too long',
    file: 'model/standing.ts',
    from: 'term.at < claim.last.at + hold',
    to: 'term.at <= claim.last.at + hold',
  },
  {
    rule: 'settling: people do not set aside people',
    file: 'model/standing.ts',
    from: 'const against = claims.find(claim => disagree(field, claim.last, term))',
    to: 'const against = claims.find(claim => disagree(field, claim.last, term) && claim.last === term)',
  },
  {
    rule: 'register: every repetition counts',
    file: 'model/standing.ts',
    from: 'if (evidence.hasRepetition)',
    to: 'if (evidence.hasRepetition && false)',
  },
  {
    rule: 'register: agents share one',
    file: 'model/term.ts',
    from: '`${term.agent}\\n${term.interaction}',
    to: '`${term.interaction}',
  },
  {
    rule: 'packing: a part loses its source',
    file: 'model/compaction.ts',
    from: '...(source !== undefined && { source }), basis',
    to: '...(source === null && { source }), basis',
  },
  {
    rule: 'packing: words of different values are packed together',
    file: 'model/compaction.ts',
    from: 'typeof value, keyOf(value)]',
    to: 'typeof value]',
  },
  {
    rule: 'summing: words that a late word can still part are summed',
    file: 'model/compaction.ts',
    from: 'fold(evidence, terms, now - late, boundaries)',
    to: 'fold(evidence, terms, now, boundaries)',
  },
  {
    rule: 'summing: across what a person settled',
    file: 'model/compaction.ts',
    from: "term.source ?? '', settled, released, judged, ",
    to: "term.source ?? '', ",
  },
  {
    rule: 'summing: across the end of a hold',
    file: 'model/compaction.ts',
    from: 'settled, released, judged, ',
    to: 'settled, judged, ',
  },
  {
    rule: 'summing: what weighs nothing is summed with what does',
    file: 'model/compaction.ts',
    from: 'era, term.weight > 0]',
    to: 'era]',
  },
  {
    rule: 'summing: a sum closes only the registers that nothing was said in later',
    file: 'model/standing.ts',
    from: 'if (register) register.closed ||= stays || !sameClaim(register.last, term)',
    to: 'if (register) register.closed ||= !sameClaim(register.last, term)',
  },
  {
    rule: 'summing: weights are added without regard to age',
    file: 'model/compaction.ts',
    from: 'term.weight * fading(last.at - term.at, field.halfLife)',
    to: 'term.weight',
  },
  {
    rule: 'tie-break: the first spoken for wins',
    file: 'model/opinion.ts',
    from: 'compare(support.last, top.last) > 0',
    to: 'compare(support.last, top.last) < 0',
  },
  {
    rule: 'tie-break: the last bit of a sum decides',
    file: 'model/opinion.ts',
    from: '!isAtLeast(support.weight, most)',
    to: 'support.weight < most',
  },
  {
    rule: 'echo: restating counts',
    file: 'model/standing.ts',
    from: 'if (evidence.echoes > 0)',
    to: 'if (evidence.echoes < 0)',
  },
  {
    rule: 'retraction: what is said at the moment of it stays',
    file: 'model/retraction.ts',
    from: 'term.at <= received',
    to: 'term.at < received',
  },
  {
    rule: 'retraction: the source is not looked at',
    file: 'model/retraction.ts',
    from: '(source === undefined || source === term.source)',
    to: 'true',
  },
  {
    rule: 'carry: applied to weight',
    file: 'model/weight.ts',
    from: 'weightOf(term.x * field.carry)',
    to: 'term.weight * field.carry',
  },
  {
    rule: 'carry: every word of another task counts',
    file: 'model/weight.ts',
    from: 'if (field.taskBound && isFused(field)) keepStrongestOfOthers',
    to: 'if (field.taskBound && !isFused(field)) keepStrongestOfOthers',
  },
  {
    rule: 'decay: by e and not by 2',
    file: 'model/weight.ts',
    from: 'Math.exp(-Math.LN2 * (ms / halfLife))',
    to: 'Math.exp(-ms / halfLife)',
  },
  {
    rule: 'union: what is known is added again',
    file: 'model/self-model.ts',
    from: 'if (this.#evidence.has(evidence.id)) return false',
    to: '',
  },
  {
    rule: 'union: terms stay in the order of arrival',
    file: 'model/field-evidence.ts',
    from: 'this.terms.splice(this.#placeOf(term), 0, term)',
    to: 'this.terms.splice(this.terms.length, Math.min(0, this.#placeOf(term)), term)',
  },
  {
    rule: 'scope: a deny is not looked at',
    file: 'model/pattern.ts',
    from: 'return { deny, segments',
    to: 'return { deny: false, segments',
  },
  {
    rule: 'explanation: shares of a set are taken of all elements',
    file: 'model/explanation.ts',
    from: '(isFused(field) ? element : key)',
    to: "(isFused(field) ? '' : key)",
  },
  {
    rule: 'evolution: a retraction is forgotten when its field is renamed',
    file: 'model/retraction.ts',
    from: '(reaches(recall, name) || reaches(recall, term.carrier.field))',
    to: 'reaches(recall, name)',
  },
]
