"""Words of everyday English. They may name a subject, but sharing one says little: everybody uses them for everything.

How common a word is in a memory of some hundred lessons cannot tell this. The list was written for this project as
general vocabulary, and reduced to words that reach about 16 in a million in running text in one of their forms; the
forms of irregular verbs and adjectives, which share no stem, are among them.
"""

from __future__ import annotations

from functools import cache
from typing import Final

from kg_core.policy.stems import stem

_WORDS: Final = """
abandon ability able abortion above abroad absence absolute abuse academic academy accept access accident accompany
according account accuracy accurate accuse acquire acquisition across act action active activity actor actress actual
add address administration admit adopt adult advance advantage advertise advice advocate affair affection afford afraid
africa afternoon afterwards age agency agenda agent aggression ago agree agreement agriculture ahead ai aid aim air
aircraft airport alert alien alive allegation alliance allied allow almost alone along alongside already alternative
although always amateur amazing ambassador amend america american among amongst amount analysis ancient andrew anger
angle angry animal anna anne anniversary announce annoy annual another answer anthony anti anxiety anybody anymore
anyone anything anyway anywhere apart apartment apparent appeal appear appearance apple application apply appoint
appreciate approach appropriate approve approximate april arc area arena argue argument arm army around arrange arrest
arrive art arthur article artificial artist asia aside asleep aspect assault assembly assess asset assist associate
association assume ate atmosphere attach attack attempt attend attention attitude attract auction audience audio aug
august australia author authority auto automatic autumn available avenue average avoid award aware away awesome awful
baby back background bad bag balance ball band bank bar barbara bare base baseball basic basis basketball bath bathroom
battle bbc beach bear beast beat beaten beautiful beauty became become bed bedroom beer began begin begun behalf
behavior behaviour behind belief believe bell belong ben bench beneath benefit beside besides best bet better beyond
bid big bigger biggest bike bill billion bird birth birthday bit bite bitten bitter black blame blast bless blew block
blood bloody blow blown blue board boat bob body bold bomb bond bone bonus book boom boost border bored boring born
boss bother bottle bottom bound boundary bow bowl box boy boyfriend brain branch brand brave bread break breakfast
breath breathe bred brian brick bridge brief briefly bright brilliant bring britain british broad broke broken brooklyn
brother brought brown brush buddy budget bug build building built bunch burden bureau burn bus bush business busy butt
butter button buy cabinet cake calendar call calm cambridge came camera camp campaign campus can canal cancel cancer
candidate cap capable capacity cape capital captain capture car card care career careful carl carrier carry case cash
cast castle casual cat catch category catholic caught cause celebrate cell cent center central centre century ceo
ceremony certain certificate certify chain chair chairman challenge chamber champion championship chance change channel
chaos chapter character characteristic charge charity charles charlie chart charter chase chat cheap cheaper cheat
check cheese chef chemical chest chicken chief child children china chinese chocolate choice choose chose chosen chris
christian christmas christopher chronic church cia circle circuit circumstance cite citizen city civil civilian claim
class classic classify clean clear clever click client climate climb clip clock close closer closest cloth clothes
clothing cloud club clung cm cnn coach coal coalition coast coat code coffee cold collaborate colleague collect
collection college colonel color colour column combat combination combine comedy comfort comfortable command comment
commerce commercial commission commit commitment committee common commonwealth communicate communication communist
community company compare comparison compensate compete competition complain complaint complete complex complicated
component composition comprehensive computer concentrate concept concern concert conclude conclusion concrete condition
conduct conference confidence confident confirm conflict confuse congress connect connection consent consequence
conservative consider considerable consideration consist conspiracy constant constitute construct construction consumer
consumption contact contain contemporary content contest context continue contract contrast contribute contribution
control controversial convention conversation convert convict convince cook cool cooperate copy copyright core corner
corporate corps correct corrupt cost cotton council count counter country county couple courage course court cousin
cover craft crap crash crazy cream create creation creative creator creature credit crept crew crime criminal crisis
criteria critic critical criticism cross crowd crucial cry crying cultural culture cup curious currency current custody
customer cut cute cycle dad daily dallas damage damn dance danger dangerous daniel dare dark data database date
daughter dave david dawn day dead deal dealt dean dear death debate debt debut dec decade december decent decide
decision declare decline dedicate deep deeper deepest deeply defeat defence defend defense define definition degree
delay delhi deliver delivery demand democracy democratic demonstrate density deny department departure depend deposit
depress depth deputy derive describe description desert deserve design desire desk desperate despite destination
destroy destruction detail determine detroit develop development device devil diagnosis dialogue diamond die diet
difference different difficult difficulty dig digital dinner direct direction director dirt dirty disappear disappoint
disaster discipline discount discover discovery discriminate discuss discussion disease dish dismiss disorder display
dispute distance distinct distinguish distribute distribution district diverse divide divine division divorce dj dna
doctor document dog dollar domestic dominant donald door double doubt downtown dozen dr draft drag drama dramatic drank
draw drawing drawn dream dress drew drink drive driven driver drop drove drug drunk dry dual duck due dug dumb dust
duty dvd dynamic each ear earlier earliest early earn earth ease easier easiest easily east eastern easy eat eaten
economic economy edge edinburgh edit edition editor educate education edward effect effective efficient effort egg
egyptian eight eighth either elect election electric electricity electronic element elementary eligible elite elizabeth
else elsewhere emergency emma emotion emotional empire employ employee employer empty enable encounter encourage end
enemy energy enforce engage engine engineer engineering england english enjoy enormous enough ensure enter enterprise
entertainment entire entitle entrance entry environment environmental epic equal equipment equity equivalent era eric
error escape especially essay essential establish estate estimate ethnic eu europe european evaluate even evening event
eventually everybody everyday everyone everything everywhere evidence evil evolution exact exam examination example
excellent except excess exchange excite exciting exclusion excuse exercise exhibition exist existence existing exit
expand expansion expect expectation expense expensive experience experienced experiment experimental expert explain
explanation explore explosion export expose exposure express expression extend extension extent external extra
extraordinary extreme eye face facility fact factor factory faculty fail failure fair fairly faith fake fall fallen
false fame familiar family famous fan fancy fantastic fantasy far farm farmer fashion fast faster fastest fat fate
father fault favor favorite favour favourite fbi fear feature feb february fed federal fee feed feel feeling feet fell
fellow felt female fence festival fever fewer field fifth fifty fight fighter figure file fill film final finance
financial finger finish fire firm fiscal fish fishing fit fitness five fix flag flat fled fleet flesh flew flight flip
floor flow flower flown fluid flung fly focus folk follow food fool foot footage football force foreign forest forever
forget forgive forgot forgotten form formal former formula fort forth fortune forty forum forward foster fought found
foundation founder four fourth frame france franchise frank fraud fred free freedom french frequency frequent fresh
friday friend friendly friendship front froze frozen fruit fuel full fully fun function fund fundamental funny
furniture furthermore future gain gallery game gang gap garage garden gary gas gate gather gave gay gender gene general
generate generation generous genetic genius genuine george georgia german germany ghost giant gift girl girlfriend glad
glass global globe glory goal god gold golden golf gone gorgeous governed governor grab grace grade gradual graduate
graham grand grandfather grant graphic grass grateful grave gravity gray great greater greatest green greg grew grey
gross ground group grow grown growth guarantee guard guardian guess guest guidance guide guideline guilty guitar gun
guy gym habit hair half hall hand handle hang happen happy hard harder hardest hardly hardware harm harry hat hate head
headquarters health healthy hear heard heart heat heaven heavily heavy height held hell hello helpful hence henry
heritage hero herself hid hidden hide high higher highest highlight highway hill himself hire historical history hit
hold holder hole holiday hollywood holy home homeless honest honey honor honour hood hope horrible horror horse
hospital host hot hotel hour house household housing howard however http https huge human hundred hung hungry hunt
hunter hunting hurt husband ice idea ideal identify identity idiot ignore ill illegal illness image imagination imagine
immediate immigrant impact imperial implement importance important impossible impress impression impressive improve
improvement inch incident include income incorporate increase incredible indeed independence independent india indian
indicate individual industrial industry infect influence inform information infrastructure initial initiative injure
injury inner innocent innovation inquiry insane inside inspector inspire install instance instant instead institute
institution instruction instrument insurance intellectual intelligence intelligent intend intense intention interact
interest interesting interior internal international internet interpret intervention interview introduce introduction
invasion investigate investigation investment investor invite involve iron island isolate israel issue italian italy
item jack jacket jackson jail james jan jane january japan japanese jason jazz jealous jeff jerry jersey jet jewish jim
job joe john johnny johnson join joint joke jonathan joseph josh journal journalist journey joy judge judgment juice
july jump june junior jury justice justin kate kelly ken kept kevin key kick kid kill killer kim kind king kingdom kiss
kit kitchen km knee knelt knew knife knock knowledge known korean label labor laboratory labour lack lady laid lain
lake land landscape language large larger largest larry laser last late later latest latter laugh launch laura law
lawyer lay layer lazy lead leader leadership leaf league leant learn learnt least leather leave led lee left leg legacy
legal legend legislation legitimate length lent less lesson letter level lewis liberal liberty library license lie
lieutenant life lifestyle lifetime lift light limit limited line link lip lisa list listen lit literally literary
literature live liverpool load loan local location lock log logic lonely long longer longest loose lord lose loss lost
lots loud louis love lovely lover low lower lowest loyal luck lucky luke lunch luxury mac machine mad magazine magic
mail main mainstream maintain maintenance major majority maker makeup male mall man manage management manager
manchester manner manual manufacture map march maria marie marine mark market marketing marriage marry martin mask mass
massive master match mate material math matter matthew mature max maximum mayor meal meaning means meant meanwhile
measure meat media medical medicine medium meet meeting member membership memory men mental mention menu mercy mere
mess message met metal method miami michael middle midnight mike mile military milk mill million min mind mine mini
minimum minister ministry minor minority minute mirror miss mission mistake mix mm mobile mode model moderate modern
modify mom moment monday money monitor month mood moon moral morning mostly mother motion motivate motor mount mountain
mouse mouth move movement movie mr mrs ms multi multiple mum municipal murder muscle museum music musical mutual myself
mystery nail naked name narrative narrow nasa nasty nation national native natural nature naval near nearby nearer
nearest nearly necessarily necessary neck negative negotiate neighbor neighborhood neither nervous net network neutral
nevertheless newer newest newly news newspaper nick night nine noble noise none nonsense normal north northern nose
note notice nov novel november nowhere nuclear number numerous nurse nut object objective observe obtain obvious
occasion occasional occupation occupy occur ocean oct october odd offense offer office officer official often oil old
older oldest olympic ones ongoing online ontario onto open opening operate operation opinion opponent opportunity
oppose opposite opposition option oral orange order ordinary organic organisation organization organize origin original
oscar otherwise ourselves outcome outdoor outer outfit output outside outstanding overall overcame overcome overseas
owner ownership oxford pace pack package page paid pain painful paint painting pair palace pan panel panic pants paper
parallel parent park parking parliament part participant participate particular partly partner partnership party pass
passage passenger passion past path patience patient patrick pattern paul pay payment pc peace peak pen penalty
pennsylvania pension people per percent percentage perfect perform performance perhaps period permanent permission
permit person personal personality personnel perspective pet peter petition phase philip phoenix phone photo photograph
photographer photography phrase physical physics piano pick picture piece pilot pin pink pipe pit pitch pizza place
plain plan plane planet planning plant plastic plate platform play player pleasant pleased pleasure plenty plot plus pm
pocket poem poet poetry point pole police policy political politician politics poll pollution pool poor pop popular
population port portion portrait position positive possession possibility possible post pot potential pound poverty
powder power powerful practical practice praise pray pre precious precise prefer pregnant premier premium prepare
presence present presentation president presidential press pressure pretend pretty prevent previous price pride priest
primarily primary prime prince princess principal principle print prior priority prison prisoner privacy private
privilege prize pro probably problem procedure process produce producer product production professional professor
profile profit program programme progress project prominent promise promote proof proper property proposal propose
protect protection protein protest proud prove proven provide province public publication publish pull punish punk
purchase pure purple purpose pursue push qualified quality quarter queen queensland quest question quick quiet quit
quite quote race racial racing racism racist radar radiation radical radio rail railroad railway rain raise rally ran
range rank rapid rare rate ratio raw ray reach reaction read reader reading ready real realise reality realize rear
reason reasonable recall receive recent reception recipe recognition recognize recommend recommendation record recover
recovery red reduce reduction refer reference reflect reform refugee refuse regard regardless regime region regional
register registration regret regular regulation regulatory reject relate relation relationship relative relax release
relevant reliability relief religion religious rely remain remarkable remember remind remote remove rent repair repeat
replace reply report represent representative republic republican reputation request require requirement rescue
research reserve resident residential resist resolution resort resource respect respond response responsibility
responsible rest restaurant restriction result retail retire retirement return reveal revenge revenue reverse review
revolution reward rice rich richard rid ridden ride ridiculous ring rip rise risen risk river road rob robert robin
robot rock rode roger role roll romantic ron roof room root rose rough round route routine row royal rude ruin rule
ruling run rung running rural rush russia russian ryan sacred sacrifice sad safe safety sake salary sale salt sam
sample sand sang sank sarah sat satellite satisfied saturday sauce save saving saw scale scared scene schedule scheme
school science scientific scientist score scott scottish scream screen script sea sean search season seat second
secondary secret secretary section sector secure security seed seek seen segment select selection self sell semi send
senior sense sensitive sent sentence separate sept september sequence series serious serve server service session set
setting settle settlement seven several severe sex sexual shadow shake shaken shall shame shape share sharp shed sheet
shell shelter shift ship shirt shock shoe shone shook shoot shop shopping short shorter shortest shot shoulder shower
shown shrank shut sick side sight sign signal significant silence silent silly silver similar simon simple simply sing
singer single sink sir sister sit site situation six size skill skin skip sky slavery sleep slept slid slide slight
slip slow slower slowest slowly small smaller smallest smart smell smile smith smoke smooth snake snap snow soccer
social socialist society soft software soil solar sold soldier sole solid solution solve somebody somehow someone
sometimes somewhat somewhere son song sorry sort sought soul sound source south southern space spanish spare speak
speaker special specialist species specific spectrum speech speed spell spend spent spin spirit spiritual split spoke
spoken sponsor sport spot sprang spread spring sprung spun squad square st stability stable stadium staff stage stand
standard star start state statement station statistics status stay steady steal steel step stephen steve steven stick
stock stole stolen stomach stone stood stop storage store storm story straight strange stranger strategic strategy
stream street strength stress stretch strict strike string strip stroke strong stronger strongest strove struck
structure struggle stuck student studio study stuff stung stunned stupid style subject submit subsequent substance
substantial succeed success successful suck sudden sue suffer sufficient sugar suggest suggestion suicide suit suitable
sum summer summit sun sunday sung sunk super superior supply support suppose supreme surface surgery surprise surround
survey survival survive susan suspect suspend suspension swam sweet swept swim swimming swing swiss switch swore sworn
swung symbol syndrome system table tail taken talent talk tall tank tap tape target task taste taught tax taylor tea
teach teacher team tear technical technique technology ted teen teeth telephone television temperature temporary ten
tend tension term terrible territory terror terrorist test text thanks theater theatre theme themselves theory
therefore thick thin third thirty thomas though thought thousand threat threaten three threw throat throughout throw
thrown thrust thursday thus ticket tie tiger tight till tim time tiny tip tire tired tissue title today together toilet
told tom tomorrow tone tongue tonight tony took tool top topic tore torn total touch tough tour tourism tourist toward
towards tower town toxic toy track trade tradition traditional traffic trail trailer train training transaction
transfer transit translation transmission transport transportation trap travel treasury treat treatment tree trend
trial tribute trick tried trip trod trouble truck true truly trump trust truth tube tuesday tune tunnel turn tv twelve
twenty twice twin twist type typical ugly uk ultimate unable uncle under underground understand understood unemployed
unexpected unfortunately union unique unit unite united unity universal universe university unknown unless unlike
unlikely unusual upcoming update upheld upon upper upset urban usa useless usual vacation valley valuable value van
variety various vary vast vehicle venture venue version versus vessel veteran via victim victoria victory video view
viewer village violence violent virgin virtual virus visible vision visit visitor visual vital voice volume volunteer
vote vs vulnerable wage wait wake walk wall walter war ward warm warn warning warrant wash washington waste watch water
wave weak weaker wealth wealthy weapon wear weather web website wedding wednesday week weekend weekly weight weird
welcome welfare went wept west western wet wheel whenever whereas wherever whether whilst white whoever whole wide
wider wife wild wildlife william willing win wind window wine wing winner winter wire wireless wise wish withdrew
witness woke woken woman women won wonder wonderful wood wooden word wore worker world worldwide worn worried worry
worse worst worth worthy wound wove woven write writer writing written wrong wrote wrung yard year yellow yesterday
young younger youngest yourself youth zealand zero zone
"""


def is_plain(term: str) -> bool:
    """Whether a term is an everyday word in any of its forms."""
    return term in _stems()


def plain_words() -> list[str]:
    """The words, each in one of its forms."""
    return _WORDS.split()


@cache
def _stems() -> frozenset[str]:
    return frozenset(stem(word) for word in plain_words())
