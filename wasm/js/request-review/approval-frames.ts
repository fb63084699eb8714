/**
 * Sentence frames that ask for an approval: a gate ("until", "only if", "antes de que"), someone, and a verb or a noun
 * of consent. Texts are normalized: lower case, without accents.
 */

const SOMEONE =
  "(?:i|i'?ve|i'?m|we|we'?ve|me|us|he|she|they|[a-z]+|(?:an?|the|my|our|your|two|some|both) (?:[a-z]+ ){0,2}[a-z]+)";
/** Never data or things. "An answer of the server" is no approval. */
const PERSON =
  "(?:me|us|mi|nosotr[oa]s|human|person|people|someone|somebody|boss|manager|supervisor|lead|colleague|teammate|owner|" +
  "director|chief|editor|legal|finance|jef[ae]|alguien|persona|humano|responsable|encargad[oa]|direccion|gerente|" +
  "directora?|editora?|departamento|department|supervisora?|client[ea]?|customer|compan?er[oa]|equipo|team)";
const GATE =
  "(?:until|till|once|unless|only if|if|when|after|before|provided(?: that)?|providing|as long as|so long as|on condition that)";
const GATE_ES =
  "(?:hasta que|hasta|cuando|una vez que|si|siempre que|siempre y cuando|mientras|a que|antes de que|salvo que|a menos que|en cuanto|sin que|despues de que|que)";
const GIVES_CONSENT = [
  "(?:approves?|approved|agrees?|agreed|consents?|consented|authori[sz]e[sd]?|okays?|okayed|oks)",
  "(?:clears?|cleared|confirms?|confirmed|accepts?|accepted|signs?|signed|allows?|allowed|permits?|validates?) (?:it|this|that|them|off|the)",
  "(?:is|are|am|'?m|was|were|be|feels?) (?:all )?(?:fine|ok|okay|happy|comfortable|on board|good|in agreement|cool) with",
  "(?:on board|in favou?r|(?:is|are|am|'?m|be) satisfied)",
  "(?:gives?|gave|given)(?: \\w+){0,3} (?:nod|go-?ahead|thumbs up|green light|permission|ok|okay|blessing|yes|word)",
  "(?:says?|said) (?:so|yes|ok|okay|it's (?:ok|okay|fine)|go)",
  "(?:tells?|told) you to",
].join("|");
const GIVES_CONSENT_ES = [
  "(?:apruebe\\w*|aprueba\\w*|autorice\\w*|autoriza\\w*|consienta|consiente)",
  "(?:haya|hayan|ha|han) (?:aprobado|autorizado|validado|confirmado|aceptado|firmado|dado)",
  "(?:(?:lo|la|los|las|me lo|te lo|se lo) )(?:valide\\w*|confirme\\w*|acepte\\w*|firme\\w*|revise\\w*|mire\\w*|vea\\w*|lea\\w*|compruebe\\w*|permita\\w*|diga\\w*|valida|acepta)",
  "(?:este\\w*|esta|estan|estoy|estamos) (?:yo )?(?:de acuerdo|conformes?|satisfech\\w+|content\\w+)",
  "(?:(?:le|me|nos|les) )?(?:parece|parezca) bien",
  "(?:de|den|da|dan|doy)(?: \\w+){0,2} (?:ok|visto bueno|luz verde|permiso|repaso|vistazo|aprobacion|conformidad|consentimiento)",
].join("|");
const PAUSE = "(?:pause|stop|hold|halt|wait|esper\\w+|deten\\w*|par[ae]|pausa)";
const REPLY = "(?:answer|reply|response|decision|review|input|respuesta|decision|revision|contestacion)";
const LOOKS =
  "(?:see|look|check|review|proofread|read|inspect|vet|veto|decide|approve|confirm|sign|take a look|have a look|go over)";
const LOOKS_ES =
  "(?:ver|mirar|revisar|leer|echar|vetar|decidir|aprobar|confirmar|comprobar|validar|autorizar|repasar)(?:l[aeo]s?)?";
const LOOKING_ES = "(?:vea|mire|revise|lea|eche|vete|decida|apruebe|confirme|compruebe|valide|autorice|repase)n?";

/** Nouns that mean a consent in each sentence that needs, awaits or gets them. */
const CONSENT =
  "(?:approvals?|permission|consent|assent|clearance|authori[sz]ation|endorsement|blessing|nod|thumbs[- ]up|go-?ahead|green light|" +
  "sign-?off|signature|say-?so|buy-?in|verdict|yes|okay|ok|veto|aprobacion|permiso|consentimiento|beneplacito|anuencia|conformidad|" +
  "autorizacion|visto bueno|luz verde|firma|veredicto|aval|venia|si)";
const NEEDS =
  "(?:needs?|requires?|gets?|obtain|wants?|awaits?|wait for|with|without|upon|after|subject to|pending|only|necesit\\w+|requier\\w+|" +
  "consig\\w+|obten\\w*|quier\\w+|esper\\w+|con|sin|tras|previ[oa]|mediante|sol[oa]|a falta de|a reserva de|a expensas de)";
const JUDGES =
  "(?:decide|judge|choose|object|oppose|veto|refuse|reject|decline|look|see|check|verify|review|inspect|read|approve|agree|confirm|endorse|sign|countersign|okay|clear|accept|say (?:yes|no|so)|have a say)";
const JUDGES_ES =
  "(?:decid\\w+|juzg\\w+|elegir\\w*|elij\\w+|escog\\w+|opon\\w+|veta\\w*|rechaz\\w+|neg\\w+|ver|ver(?:l[aeo]s?)|vea\\w*|mirar\\w*|revis\\w+|leer\\w*|comprob\\w+|" +
  "comprueb\\w+|aprob\\w+|aprueb\\w+|autoriz\\w+|autoric\\w+|confirm\\w+|aval\\w+|firm\\w+|valid\\w+|acept\\w+|opin\\w+)";
const ROLE = `(?:${PERSON}|people|persons|pairs? of eyes|personas|pares? de ojos|ojos)`;
/** The user's own data, which tools know. Each other act of the user is known only from the user. */
const OWN_DATA =
  "(?:have|had|own|order|ordered|bought|paid|spent|spend|owe|owed|received|sent|live|work|wrote|saved|created|opened|asked|need|tengo|tenia|pedi|compre|gaste|debo|recibi|vivo|trabajo|escribi|guarde)";

export const FRAMES: readonly RegExp[] = [
  // The user does something, behind a gate.
  `\\b(?:until|till|once|unless|only if|if|when|after|provided(?: that)?|as long as|on condition that) (?:i|we)(?:'m|'ve|'d|'ll)? (?!${OWN_DATA}\\b)[a-z]+`,
  `\\b(?:unless|until|if|when|before|without)(?: \\w+)? (?:you(?:'ve| have|'re| are)? )?(?:being )?(?:told|asked|instructed|ordered|heard? back)\\b`,
  "\\b(?:si|cuando|hasta que|salvo que|a menos que|mientras)(?: no)?(?: yo)? (?:te|le|os)(?: lo| la)? (?:diga|digo|ordene|ordeno|pida|pido|avise|aviso|confirme|confirmo|de|doy|indique|indico)\\b",
  "\\b(?:si|cuando|hasta que|solo si|siempre que)(?: \\w+){0,4} me (?:gust\\w+|convenc\\w+|convenz\\w+|parec\\w+|parezc\\w+|encaj\\w+|sirv\\w+|val\\w+|satisf\\w+)",
  `\\b(?:hasta que|a que|antes de que|una vez que|cuando|en cuanto|sin que)(?: yo)?(?: no)?(?: l[aeo]s?)? ?(?:haya|hayamos|he|hemos)(?: \\w+)? ?(?:vist|mirad|revisad|leid|comprobad|aprobad|autorizad|confirmad|validad|firmad|decidid)o`,
  // The user acts, or someone has the right to.
  "\\b(?:i|we)(?:'ll| will) (?!be\\b|need\\b|want\\b|like\\b|have\\b|use\\b|read\\b)[a-z]+(?: \\w+){0,3}(?: myself| ourselves| if\\b| when\\b| before\\b| first)",
  "\\b(?:be|am|i'm|is) the one(?:s)? (?:who|to|that)\\b|\\b(?:sea|soy) yo\\b|\\byo mism[oa]\\b|\\bya l[aeo]s? \\w+ (?:yo|nosotros)\\b|\\bl[aeo]s? (?:hare|mandare|enviare|decidire|hago|decido) yo\\b",
  `\\b(?:give|offer|grant|allow|leave)\\b.*\\b(?:chance|opportunity|right|option|time|possibility) to ${JUDGES}\\b`,
  `\\b(?:da|de|dar|dale|dele|darle|dame|deme|ofrece\\w*|deja\\w*)\\b.*\\b(?:oportunidad|ocasion|opcion|derecho|tiempo|posibilidad) (?:de|para|a) ${JUDGES_ES}`,
  `\\b${ROLE} (?:must|should|has to|have to|needs? to|gets? to|can|may|ought to) (?:first |also |\\w+ly )?${JUDGES}\\b|\\b(?:for|to|with) (?:[a-z]+ ){1,3}to (?:decide|judge|approve|veto|sign|authori[sz]e|confirm)\\b`,
  `\\b(?:deb\\w+|tien\\w+ que|ha de|han de|hay que)\\b(?: \\w+)? ?${JUDGES_ES}(?: \\w+){0,2} ${ROLE}\\b|\\b${ROLE} (?:deb\\w+|tien\\w+ que|ha de|han de) ${JUDGES_ES}`,
  "\\b(?:l[aeo]s?|eso|esto|que) (?:lo |la |los |las )?(?:decid|aprueb|autoriz|firm|valid|apruev)[ae]n? (?:yo|[a-z]+)\\b|\\b(?:decide|decidira|decida) (?:yo|mi|la|el|[a-z]+)$",
  `\\b(?:tengo que|debo|necesito|quiero|hay que|me gustaria)\\b.*\\b(?:ojeada|vistazo|repaso|visto bueno|revision|lectura)\\b|\\bi (?:need|want|have|must|would like|'d like)\\b.*\\b(?:once-over|look|glance|peek|eye|read-through)\\b`,
  // It passes by someone.
  `\\b(?:go|goes|going|pass|passes|run|runs|running|route|routed)\\b(?: \\w+){0,3} (?:through|past|by|via) (?:(?:the|my|our|an?) )?${PERSON}\\b`,
  `\\bpas(?:a|ar|e|en|an|arl[aeo]s?)\\b(?: \\w+)? por (?:(?:el|la|mi|un|una) )?${PERSON}\\b`,
  `\\b(?:discuss|talk|agree|coordinate|align|settle)\\b(?: \\w+){0,3} with\\b.*\\b(?:before|first|prior)\\b|\\b(?:coment|consult|habl|plante|trat|acord|acuerd)\\w+ (?:con|a)(?: \\w+){1,3} (?:antes|primero)\\b`,
  // A consent is needed, or nothing happens alone.
  `\\b${NEEDS}(?: (?:an?|the|my|our|your|his|her|their|any|clear|written|formal|explicit|el|la|un|una|mi|su|tu|prev[io]a?|[a-z']+'s?)){0,3} ${CONSENT}(?:$|[,.]|(?= (?:from|of|by|de|del|por|before|antes|to|para)\\b))`,
  "\\bon (?:your|its|their) own(?: (?:authority|initiative|account|judg\\w+))?\\b|\\bby (?:yourself|itself)\\b|\\b(?:autonomously|unilaterally|unsupervised|unattended)\\b|\\bpor (?:tu|su) (?:propia )?(?:cuenta|iniciativa)\\b|\\bpor iniciativa propia\\b|\\b(?:on|at) my (?:word|command|signal|say-?so)\\b|\\ba mi (?:orden|senal)\\b",
  `\\b(?:hear|heard|hearing|word|news) (?:back )?from\\b|\\b(?:noticias|respuesta|contestacion|senal) (?:de|del)\\b(?! (?:servidor|api|server))`,
  // Someone agrees, behind a gate.
  `\\b${GATE} ${SOMEONE}(?: (?:has|have|had|also|both|already|really|\\w+ly|of \\w+|from \\w+)){0,2} ?(?:${GIVES_CONSENT})\\b`,
  `\\b${GATE_ES} (?:(?!si\\b)\\w+ ){0,4}(?:${GIVES_CONSENT_ES})\\b`,
  `\\b(?:has|have|had|needs?|must|should|ought)(?: to)?(?: be)? (?:${GIVES_CONSENT}|satisfied|okay|fine|happy)\\b(?! (?:and|or) )`,
  `\\b(?:tiene|tienen|debe|deben|ha|han)(?: que| de)?(?: estar)? (?:de acuerdo|conformes?|satisfech\\w+|${GIVES_CONSENT_ES})\\b`,
  "\\b(?:be|been|gets?) (?:approved|cleared|signed|checked|reviewed|released|authori[sz]ed|confirmed|okayed)(?: off)? by\\b",
  `\\b(?:only|sol[oa]) (?:(?:an?|the|el|la|un|una) )?(?:${PERSON}|[a-z]+) (?:may|can|must|should|puede|debe)\\b`,
  `\\b(?:get|have|make|ask) (?:[a-z]+ ){1,3}(?:to )?(?:sign|approve|confirm|agree|authori[sz]e|clear|okay|vet|release)\\b`,
  "\\b(?:approvers?|sign(?:er|atory|atories)|aprobador\\w*|firmantes?)\\b|\\b(?:a|any|some|the|final) say\\b|\\b(?:await|wait for|esper\\w+) (?:\\w+ )?(?:instructions?|orders|instrucciones|ordenes)\\b",
  `\\b(?:let|allow) (?:me|us) (?:to )?(?:stop|cancel|abort|halt|intervene)|\\bdej\\w*(?:me|nos)\\b (?:parar|detener|cancelar|interven)\\w*|\\b(?:opine|opinen|opinar)\\b.*\\bantes\\b`,
  "\\b(?:i|we) (?:haven't|have not|hadn't|didn't|did not|don't|do not) (?:agreed?|approved?|okay(?:ed)?|cleared?)\\b",
  // Someone has the decision.
  "\\b(?:final|last|ultima) (?:call|say|word|decision|palabra)\\b|\\b(?:call|decision|choice) is (?:mine|ours|my|up to)\\b",
  `\\b(?:up to|depends? on|depende de)(?: \\w+){0,2} ${PERSON}\\b|\\b(?:leave|dej\\w+)\\b.*\\b(?:to me|to us|en mis manos)\\b`,
  "\\b(?:i|we)(?:'ll| will| want to| have to| must| get to)? decide\\b|\\bdecid(?:ir|o|a|e|ire|amos) (?:yo|nosotros)\\b|\\byo decid\\w+",
  "\\b(?:vet(?:ar|arlo|arla|e|oing|ting)|veto)\\b",
  // A pause for someone.
  `\\b${PAUSE}\\b(?: \\w+){0,2} (?:for|to|until|a|que) (?:\\w+ ){0,2}${PERSON}\\b`,
  `\\b${PAUSE}\\b(?: \\w+){0,3} (?:my|our|human|manual|mi|nuestra) ${REPLY}\\b`,
  `\\b${PAUSE}\\b(?: \\w+){0,3} (?:until|hasta que) (?:i|we|yo|te|le) (?:\\w+ )?(?:answer|reply|respond|conteste|responda)\\w*`,
  // Someone sees it first.
  `\\b(?:have|let) (?:me|us|[a-z]+|(?:an?|the|my|our) (?:[a-z]+ ){0,4}[a-z]+) ${LOOKS}\\b`,
  "\\b(?:make sure|ensure)(?: that)? (?:a person|a human|i|we|some(?:one|body))(?:'m| am| are| is)? (?:\\w+ )?(?:sees?|looks?|checks?|reviews?|reads?|on board|fine|ok|okay|happy)",
  `\\b(?:i|we)(?:'d| would| want| need| have| must)? ?(?:like )?to ${LOOKS}\\b.*\\bbefore\\b`,
  `\\bdej(?:a|e|ar)(?:me|nos|le)\\w* ${LOOKS_ES}\\w*|\\bdej\\w+ que (?:\\w+ ){1,4}${LOOKING_ES}\\b`,
  `\\b(?:quiero|queremos|quisiera|me gustaria|necesito|tengo que|debo)(?: poder)? ${LOOKS_ES}\\b.*\\b(?:antes|yo|primero)\\b`,
  `\\bque (?:\\w+ ){1,4}(?:l[aeo]s? )(?:${LOOKING_ES}|de|den) ?(?:un|su|el)? ?(?:repaso|vistazo|visto bueno)?.*\\bantes\\b`,
  // Someone is asked.
  "\\bask (?:[a-z]+ ){1,4}(?:if|whether) (?:it|this|that|we|you|i)(?:'s| is| are| may| can)? ?(?:ok|okay|fine|all right|alright|allowed|may|can)\\b",
  "\\bask (?:me|us) (?:if|whether|before|first|for)\\b|\\bclear (?:it|this|that|them) with\\b",
  "\\b(?:pregunt\\w+|consult\\w+) (?:\\w+ ){0,4}si (?:\\w+ ){0,2}(?:esta bien|se puede|puedes?|podemos|acepta|le parece|autoriza)\\b",
  `\\b(?:get|obtain|await|obten\\w*|consigue|consiga)\\b(?: \\w+){0,3} (?:consent|nod|sign-?off|clearance|blessing|approval|permission)\\b`,
  "\\b(?:seal|stamp) of approval\\b|\\b(?:my|our|mi|nuestra) (?:signature|firma)\\b|\\b(?:necesit\\w+|requier\\w+|needs?|requires?|con|sin|with|without) (?:la |the |a )?(?:signature|firma) (?:de|of|from)\\b",
  // Nothing happens without someone.
  "\\b(?:before|without|unless you|until you) (?:first )?(?:hearing|hear|heard) (?:back )?from (?:me|us)\\b|\\bsin pasar por (?:mi|nosotros)\\b",
  "\\b(?:i'?ll|i will|we'?ll) (?:tell|let) you (?:know )?when\\b|\\b(?:te|le) (?:aviso|avisare|digo|dire|confirmo|confirmare) (?:yo )?cuando\\b",
  "\\bwhen (?:i|we) (?:tell|ask) you\\b|\\b(?:cuenta|cuente|habla|hable) conmigo antes\\b|\\bconmigo (?:antes|primero)\\b",
].map((source) => new RegExp(source));

/** What only speaks of approvals: past ones, those that are waived, the people and rules of others. */
export const NO_APPROVALS: readonly RegExp[] = [
  "\\b(?:no need|no reason|unnecessary|(?:do|does)(?:n't| not) (?:need|have|wait|bother|stop)|needn't|need not|not necessary)(?: \\w+){0,2} (?:to|for) (?:\\w+ ){0,2}(?:ask\\w*|check\\w*|confirm\\w*|wait\\w*|approv\\w+|permission|consent|ok|okay|review|sign-?off)(?: (?:me|us|first))*",
  "\\b(?:skip|bypass|ignore|omit)\\w* (?:the |any |all )?(?:\\w+ )?(?:approvals?|confirmation|review|sign-?off|permission)",
  "\\bno (?:hace falta|es necesario|es preciso|necesit\\w+|hay que|tienes que|tiene que|esperes|espere)(?: (?:que|a|mi|me|la|el|te|le|lo|pedir(?:me)?))*(?: (?:pregunt|consult|confirm|autoric|autoriz|apr[uo]|permiso|espera|pida)\\w*)",
  "\\b(?:saltate|saltese|salta|omite|omita|ignora|ignore)(?: (?:la|el|las|los|toda))? (?:aprobaci\\w+|confirmaci\\w+|autorizaci\\w+|permiso|revisi\\w+)",
  "\\b(?:thank\\w*|congratulat\\w+|praise|agradec\\w+|felicit\\w+|gracias)\\b.*",
  "(?<!\\b(?:until|once|unless|if|after|when|before)\\b.{0,40})\\b(?:was|were) (?:approved|authori[sz]ed|confirmed|agreed|signed(?: off)?)\\b",
  "\\b(?:aprobaron|autorizaron|confirmaron|aceptaron|firmaron|consintieron)\\b",
  "\\b(?:already|previously) (?:been )?(?:approved|agreed|confirmed|authori[sz]ed|signed)(?: off)?\\b|\\b(?:approved|agreed|confirmed|authori[sz]ed|signed off)(?: \\w+){0,2} (?:already|yesterday|last \\w+|earlier|ago)\\b",
  "\\bya (?:lo|la|los|las|se|esta|estan|fue|ha|he|hemos|han)(?: \\w+){0,2}? ?(?:aprob\\w+|autori\\w+|confirm\\w+|acept\\w+|firm\\w+)",
  "\\b(?:fue|fueron|ha sido|han sido|estaba|estaban) (?:aprobad|autorizad|confirmad|firmad)\\w+",
  "\\b(?:the|all|any|every|list|of) (?:approved|authori[sz]ed|confirmed|signed)(?= [a-z]+)",
  "\\b(?!est|sea|son|hay|ha\\b|han\\b|una?\\b|vez\\b|siempre\\b|solo\\b|qued)(?:[a-z]+[oae]s) (?:ya )?(?:aprobad|autorizad|confirmad)[oa]s\\b",
  "\\b(?:approval|permission|consent|authori[sz]ation|sign-?off|review) (?:process\\w*|rates?|polic\\w+|rules?|workflows?|history|forms?|numbers?|steps? work\\w*|settings?|emails?)\\b",
  "\\b(?:proceso|politica|normas?|reglas?|tasa|historial|formulario|flujo)s? de (?:aprobaci|autorizaci|consentimiento|permiso|revisi)\\w+",
  "\\b(?:explain|describe|write|summari[sz]e|list|show|say|find out|look up|note)\\b[^,]*\\b(?:who|how|why|when)\\b(?: [\\w']+){0,5} (?:approv|authori|sign|confirm|agree|consent|permission)\\w*",
  "\\b(?:explica|describe|escrib|resum|list|muestr|di\\b|dime|averigu|busca|anot|nota)\\w*\\b[^,]*\\b(?:quien|quienes|como|por que|cuando)\\b(?: \\w+){0,5} (?:apr[uo]|autori|firm|confirm|consient)\\w*",
  "\\b(?:person|people|one|those|manager|boss|team|customer|[a-z]+er) (?:who|that) (?:has |have |had )?(?:approved|authori[sz]ed|confirmed|agreed|signed)(?: off)?\\b",
  "\\b(?:a|para|con|por) (?:quien|quienes|la persona que|el que|la que) (?:ha |han )?(?:aprobo|autorizo|confirmo|firmo|aprobaron|autorizaron|aprobado|autorizado)\\b",
].map((source) => new RegExp(source, "g"));

/** An exception brings the approval back: "no need to ask me unless it is expensive". */
export const EXCEPTION = /\b(?:unless|except|but|only if|salvo|excepto|pero|a menos que|a no ser)\b/u;
