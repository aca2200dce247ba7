"""Words that are usual beside the plainest: everyday things, and what any two developers talk about.

They may name a subject, and more often do than plain words; but other subjects have them too. Written for this project
as general vocabulary, by topic: animals, food, the body, home, travel, nature, work, feelings, numbers, places; the
nouns and verbs of programming, with the languages, formats, protocols and file names that all projects share. Of other
languages the most common words, of Chinese and Japanese as pairs of characters.
"""

from __future__ import annotations

from functools import cache
from typing import Final

from kg_core.policy.stems import stem

_EVERYDAY: Final = """
accordion ache acid acorn acrobat addition adjective adventure adverb airline airplane alarm alaska alcohol algebra
allergy almond alphabet ambulance amsterdam ancestor anchor angel ankle ant antarctica anthem anxious ape apricot
apron arabia arabic archery architect arctic argentina arithmetic armchair arrogant arrow ash ashamed asparagus
astronaut astronomer athens athlete atlantic atom attic attorney aunt austria awkward axe babysitter backpack bacon
badger badminton bake baker bakery balcony bald ballad ballet ballot baltic bamboo ban banana bangkok banjo barbecue
barber barcelona bargain bark barn bartender basement basket bat bathtub battery bay beam bean beard bedtime bee beef
beep beetle beggar beige belgium belly belt berlin berry bible bicycle biology biscuit bishop blacksmith blanket blind
blizzard blond blossom blouse blueberry blunt boil bolt boot borrow boston bounce bracelet brake brazil breast breeze
bribe bride broadcast bronze brooch broom broth bruise brussels bubble bucket buckle buddha buffet bulb bulgaria bull
bullet bully bumper bundle burglar bury butcher butterfly buzz bye cab cabbage cable cactus cafe cairo calf california
camel canada candle candy cannon canoe canvas canyon caravan carbon carbonara cardboard cargo caribbean carnival
carpenter carpet carriage carrot carton cartoon carve cashier cathedral cattle cave ceiling celery cello celsius
centimeter centimetre cereal chalk champagne charger cheek cheerful chemist chemistry cherry chess chew chicago chick
childhood chile chimney chin chip choir chop chord chunk cigarette cinema cinnamon clap clarinet classroom clay clerk
cliff clinic closet cloudy clown clumsy cocktail coconut coil coin cola colombia colony comet comic compliment
composer compost congrats congratulations continent cookie cooler cop copenhagen copper corn costume couch cough
coupon cow coward crab crack cradle crate crawl crayon creek cricket crimson crocodile crow crown cruise crystal cuba
cube cucumber cuddle cuisine cupboard cure curry curtain cushion cyan cyclone daisy damp dancer danish dart deaf
dealer deck deer delicious delight denmark dentist dessert detective diabetes dial diameter diaper diary dice dim
dinosaur diploma disgust dishwasher dive dizzy dock documentary dolphin donate donkey doodle doorbell dose dot dough
dragon drawer drift drought drown drum dublin duke dull dune dusk dutch eager eagle earring earthquake easel easter
eclipse egypt eighties elbow electrician elegant elephant elevator eleven embarrass embassy emperor envelope envy
episode espresso estonia ethiopia euro explode eyebrow fabric fahrenheit fairy fare feather fern ferry fertilizer
fiancee fiction fifteen filter filthy finland finnish fir fireplace fireworks fisherman fist flame flash float flood
florence florida flour flu fluffy flute foam fog fold fond foolish forbid forecast forehead fork fortnight fortress
fourteen fox fragile freeze freezer freight fridge frightened frog frost frozen fry funeral fur furious galaxy gallon
gallop garlic gasoline gasp gauge gear geneva gentle geography geometry gigantic giggle ginger glacier glove glow glue
goalkeeper goat goodbye goose gossip gram grammar granddaughter grandma grandpa grandson grape grasshopper grassland
greece greedy greek greetings grid grill grin grocery groom grumpy gulf gut gymnastics haiku hail halloween hallway
halt ham hamburg hammer hamster handsome hanukkah harbor harbour hare harmonica harp harvest hatch hawaii hawk hay
headache headline heal heap heartbeat heater hebrew hedge hedgehog heel helicopter helium helsinki hen herb hike
hilarious hindi hinge hip hobby hockey holland hollow homework hoodie hook hop horizon hose hostel howl hug hum humid
hundredth hungarian hungary hurricane hurry hydrogen hymn iceberg iceland icy indigo indonesia ingredient ink insect
insulin invoice iran iraq ireland irish istanbul itch itinerary ivory ivy jam jamaica janitor jar jaw jeans jerusalem
jewel jewelry jogging judo jug juggle juicy jumper jungle jupiter kangaroo karaoke karate kayak kenya ketchup kettle
kidney kilo kilogram kilometer kilometre kindergarten kitten kneel knight knit knot korea kyiv lace ladder lagoon lamb
lamp landlord lane latch later latin latte latvia laundry lavender lawn leak leap lease lecture lemon lemonade lend
lent lettuce lever librarian lick lid lightbulb lightning lily lime limerick linen lion liquid lisbon lithuania litre
liver lizard lobster london loneliness lorry lottery luggage lullaby lung lyrics madrid magenta magician magnet
mailbox malaysia mammal mandarin mango maple marathon marble maroon mars marsh massage mathematics mattress mayonnaise
meadow mechanic medal median medieval meditation mediterranean melbourne melody melon melt mercury mermaid meter metre
mexico milan millennium millimeter millionaire miner mint miserable mist monarch mongolia monk monkey monster montreal
moonlight mop morocco mortgage moscow mosque mosquito moss moth motorbike motorcycle moustache mud muddy mug munich
mushroom musician mustard mute myth nap napkin naples naughty navy neat necklace needle neighbour nephew nerve nest
netherlands niece nigeria nineteen nineties nobody nod noisy noodle noon norway norwegian nostril noun novelist
nowadays nun nursery oak oat octopus olive omelette onion oops opera optimistic orbit orchard orchestra orchid oslo
ostrich otter ounce oval oven overnight owe owl oxygen pacific paid painter pajamas pakistan pal pale palm pancake
panda parachute paradise parcel paris parrot parsley passport pasta pastel pastry pause pea peach peacock peanut pear
peasant pedal peel pencil penguin peninsula penny pepper peru petal petrol pharmacy philippines philosopher philosophy
pie pigeon pile pill pillow pinch pine pineapple pint pirate pity playlist plough plug plum plumber plural podcast
pointy poland policeman polish pond pony pope poppy porch pork porridge portugal portuguese poster postman potato
pottery pouch prague prairie prank prayer preacher pregnancy pronoun pronounce prophet prose psychologist pub pudding
pulse pump pumpkin punch pupil puppet puppy purse puzzle quarrel quiz quotient rabbit radius rainbow rainy raisin
ramadan ramp rash raspberry rat raven receipt rectangle reef referee refund rhyme rib riddle rinse roast robber rocket
roman romance romania rome roommate rooster rope rose rotten rubber rug rugby rumour rust sabbath sack sail sailor
saint salad salinity salmon salty sandal sandwich santa saturn sausage saxophone scandinavia scarf scarlet scary scent
scholar scissors scooter scorch scotland scratch screenplay screw screwdriver sculptor sculpture seal seatbelt selfish
seller semester senator sequel serbia seventeen seventh seventies sew shade shark shave sheep shelf shepherd sheriff
shield shine shiny shopper shore shout shovel shrimp shy siberia sibling sicily sightseeing silk sincerely singapore
siren sixteen sixth sixties skate skateboard sketch ski skinny skirt skull slap slave sled sleepy sleeve slice slim
slipper slippery slogan slope slovakia slovenia smelly smoothie snack snail sneaker sneaky sneeze sniff snore
snowboard snowman snowy soap sock socket sofa solo sonnet soprano sore sorrow soup sour souvenir spaghetti spain spark
sparrow sphere spice spicy spider spill spinach spine splash spoil sponge spoon sprinkle spy squash squat squeeze
squirrel stab stack stain staircase stairs stale stamp stanza stare statue steak steam steep steering stem stew sticky
stir stockholm stool stove strap strawberry stripe stroll stubborn stumble subway suitcase sunlight sunny sunrise
sunset superhero surfing surgeon sushi swallow swamp swan swear sweat sweater sweden swedish swimsuit switzerland
sword sydney syllable symphony symptom syria syrup tailor taiwan tale tan tasty taxi teal tease teenager telescope
temple tempo tenant tennis tenth texas textbook thailand thanksgiving thaw therapy thermometer thesis thief thirsty
thirteen thread thriller throne thumb thunder tickle tide tile timer tint tiptoe toast toddler toe tokyo tomato tonne
tooth torch tornado toronto toss tournament towel tractor tragedy trainer tram transparent trash tray treasure treaty
tremble triangle tribe triple trombone troop trophy trousers trumpet tsunami tuba tulip tuna tunisia turkey turkish
turquoise turtle tutor twelfth tyre ukraine umbrella underwear unicorn uniform unlock vaccine vacuum valve vampire
vanilla vase vegan vegetable vegetarian velvet venice venus verb verse vet vienna vietnam villain vinegar vineyard
violet violin visa vitamin vocabulary vodka volcano volleyball voter voyage waffle wagon waist waiter waitress wales
wallet wallpaper walnut waltz wander wardrobe warrior warsaw watercolor waterfall wax weed weekday weep weigh whale
whatever wheat whichever whiskey whisper whistle wicked widow willow windy wink wipe wisdom witch wizard wolf woodland
wool workout worm worn worship wound wow wrap wrestling wrist yacht yarn yawn yell yoga yoghurt yogurt yummy zebra
zipper zombie zurich
"""
_CRAFT: Final = """
aarch64 algorithm alias align alpha amd64 android apache api app architecture archive arm64 array ascii assert assign
async attribute auth authentication avatar await backend backlog backup banner base64 batch beta bin binary blurry
boilerplate bool boolean breakpoint browser bsd buffer byte cache callback caller cd cet cfg changelog char checkbox
checkout ci cleanup cli clipboard clone cmd codebase coder compile conf config configuration console const constructor
coverage cpp cpu crc32 crud csharp css csv cursor dao dashboard dataset debug debugger decorator default delete demo
deploy deprecated desktop dev dhcp diff directory disable dist dns doc dockerfile docstring domain dotnet download
dropdown dto duplicate e2e email embed emit encode endpoint enum env exclude executable extract f32 f64 fallback
favicon feedback fetch filename fixture float32 float64 folder font footer format formatter framework frontend ftp
generic gif git github gitlab gmt gnu golang gpl gpu graphql grep grpc gui gzip handler hardcode hdmi header helper
hover html http2 http3 i32 i64 icon ide iframe increment indent index infinite inherit ini init inline input insert
inspect int int16 int32 int64 int8 integer integration interface invalid invoke ios ipv4 ipv6 iso iso8601 iterate java
javascript jpeg jpg js json jsx keyboard keyword kt lambda laptop latency latest layout lib lint linter linux loader
logger login logo logout loop lz4 macos macro makefile margin markdown md md5 merge metadata metric middleware migrate
mock mockup mod modal module mongodb mp3 mp4 mutable mvc mysql namespace nat navbar navigation node nodejs nosql
notification null oauth oauth2 offline optimization orm overflow override overview overwrite padding pagination
paragraph param parameter parse parser password paste patch pdf pipeline pixel pkg placeholder plugin png pointer
popup posix postgres postgresql prefix preview prompt protocol prototype proxy py python query queue ram random rb
readme redirect redis refactor refresh regex regression reload rename render repo repository reset resize resolve
restart restore retina retry reuse revert rewrite rfc rollback router rs rst runner runtime saml schema scope
screenshot scroll scrollbar sdk selector semicolon serialize setup sha sha1 sha256 shortcut sidebar signature simplify
simulator smtp snapshot snippet spec spinner sprint sql sqlite src ssd ssh ssl startup static struct stub stylesheet
subclass subtitle summarise summarize summary suppress svg sync syntax tab tag tai tar tcp tcpip tdd temp template
terminal tester timeout timestamp tls toggle token toml toolbar tooltip trace traceback transform trigger trim
truncate ts tsx tuple tutorial txt typescript typo u32 u64 ubuntu udp uint uint32 uint64 uint8 undefined undo unicode
unused upgrade upload upstream uri url usage usb user username utc utf utf16 utf8 util uuid valid var variable vendor
verbose verify viewport vpn websocket whitespace widget width wifi workaround workflow workspace wrapper x64 x86 xml
yaml yml zip zoom zstd
"""
_CYRILLIC: Final = """
абзац август автобус адрес акция антенна апрель армия бабушка банк белый бензин берег билет болезнь боль большой борщ
брат будинок буква бутылка быстро білий ванна варенье варить великий вернуть вес весна ветер вечер вечір взяти вибрати
видалити видео видеть виноград висота включить власть внутрішній вода водитель война волна вопрос восемь воскресенье
врач время всегда встреча вторник второй вулиця вчера вчора выбрать выключить высокий высота выходной вівторок
відкрити відповідь вікно вітер гарний глаз глубина глубокий говорить год година голова гора город горячий гостиница
гость готовить гра градус гроза гроші груша дата датчик дверь двигатель девочка девять дедушка декабрь делать день
деньги дерево десять дети дзвінок дивитись диск длина днём добавить добрий договор додати дождь документ дом допомогти
дорога доставка дочь дощ думать европа еда екран ехать жара ждать жена женщина жизнь жити жёлтый завтра завтрак
заголовок задача заказ закон закрити закрыть замовлення замок запустить запятая звонить звонок звіт зелений земля зима
змінити знайти знати зовнішній зуб зустріч игра играть идти изменить имя иногда инструмент интернет искать исправить
история июль июнь йти казати каникулы капуста карта картинка картка картошка кафе квадрат квартира квиток километр
київ клиент ключ книга кнопка код козак колега колесо коллега комната компьютер компютер конец конфета концерт кончить
корабль коробка короткий кофе кошелёк кошка красивый красный кровь круг купити купить курица куртка кухня кімната
лампа лекарство лес лето линия лист лодка ложка лук львів любить люди лёгкий лёд літера літо магазин май маленький
малий мальчик мама март масло машина медленно место месяц метр минута мир мова молоко море морковь мороз москва муж
мужчина музей музика музыка мыть мясо місто місяць надіслати нажать назвать найти народ начало начальник небо неделя
неділя низкий никогда новий нога нож номер ночь ноябрь ніч обед обувь объяснить овощи огурец одежда озеро окно октябрь
оплата осень останній остров осінь ответ открыть отправить отпуск отримати отчёт офис оценка ошибка память папа папка
пароль паспорт первый перевести перевод перевірити перекласти переписать период перший песня пиво пирог писати писать
письмо питання пить план платить плохой пляж повар повернути повідомлення поганий погода подарок подарунок подруга
поезд поездка поздно показати показать покупатель покупець полиция половина получить поменять помидор помилка помочь
понедельник понеділок порадити порт послать последний посоветовать почати почистить пошта пояснити правда правило
праздник предложение президент прибор прибрати приклад пример проблема проверить провод програма программа продавец
продать проект процент птица путешествие пятница пять пісня работать рабочий размер рано ранок распродажа рассказать
рахунок ребёнок редко река ремонт ресторан рецепт решение риба робити родители розетка россия рубль рука рыба рынок
рядок рік сайт самолёт сахар свет свято сегодня секунда семь сентябрь сердце середа серце сестра сидеть сильный синий
сир скидка скорость слабый словарь слово сложение сломать слухати слушать сменить смерть смотреть снег сніг собака сок
сократить солнце соль сообщение сосед спать список справка среда средний срок стакан старий стирать стих стихотворение
сто стол сторона сторінка стоять страна страница строк студент стул стіл суббота субота суд судно сума сумка сумма суп
сусід счёт сын сыр сімя тарелка театр текст телефон температура тест тиждень товар топливо торт точка трава третий
треугольник три туман тысяча тяжёлый тёплый убирать убрать увімкнути угол удалить ужин украина улица университет урок
услуга утро ученик учитель учить файл февраль фильм фото фрукты хвилина хлеб хліб холодный хороший хотеть хотіти
хранить цвет цветок цена цифра ціна чай час часто чекати человек червоний четвер четверг четыре чинить число читати
читать чорний чёрный шапка швидкість шесть ширина школа шоколад шукати экзамен экран яблоко яблуко язык яйцо январь
яхта їжа
"""
_ARABIC: Final = """
آب آبمیوه آبی آخر آدرس آسمان آشپزخانه آفتاب آهنگ اب ابدا ابريل ابزار ابن ابيض اتاق اتصال اتصل اثنان اجازة اجتماع احب
احذف احمر احيانا اخ اخت اختبار اختر اختصر اخذ اخضر اخير اداة اراد اربعة ارتفاع ارسل ارض ازرق اسبوع استلم اسم اسود اشرح
اصفر اصلاح اصلح اضغط اضف اطفال اعطى اغسطس اغلق اغنية اقترح اكتب اكتوبر اكل الأحد الأربعاء الاثنين الثلاثاء الجمعة
الخميس السبت الف ام امتحان امرأة امروز امس انتخاب انترنت انتظر اندازه انگور اول اینترنت باب باد باران بارد بازار بازی
بالا بانک بحث بحر بحيرة بد بدأ برادر برف برق برنامج برنامه بريد بزرگ بصل بضاعة بطاطس بطاقة بطری بطيء بلد بلند بلیت بنت
بندر بنك بنویس بهار بيت بيض بيع بچه تابستان تاريخ تحویل تخفیف تذكرة ترجم تسعة تعطیل تعمیر تفاح تقرير تلفن تماس تند
تنظيف توصيل توضیح ثالث ثاني ثقيل ثلاثة ثمانية جا جار جامعة جبل جبن جديد جزيرة جعبه جلس جليد جمعه جملة جميل جنگل جهاز
جهان جواب جواز جيد حار حاسوب حافظه حجم حذاء حرارة حرف حساب حق حقيبة حل حلوى حليب حياة خاموش خانه خانواده خبز خدمة خريف
خصم خط خطأ خطا خطة خفيف خليج خمسة خواستن خواندن خواهر خوب خیابان دائرة دائما دادگاه داستان دانستن دانشجو دانشگاه دجاج
دختر درجة درخت درس درصد دریا دریاچه دست دستگاه دفتر دفع دقيقة دل دم دما ده دو دواء دوره دوست دوشنبه دولة دوم ديسمبر
دکمه دیدن دیر دیروز ذاكرة ذهب رأس رأى رئيس راننده راه رایانه ربيع رجل رحلة رسالة رستوران رفتن رقم رمز رنگ روز روزانه
روشن رياح ريح زاوية زبان زجاجة زر زرد زمستان زميل زمین زمینی زن زندگی زهرة زوج زود زیبا سؤال سائق ساحل ساعة ساعد سال
سالانه سایت سبتمبر سبز سبعة سبک ستة سر سرد سرعة سريع سطر سعر سفارش سفر سفينة سفید سكر سكين سماء سمع سمك سنة سنگین سه
سوخت سوق سوم سيئ سيارة سگ سیاه سیب شارع شاشة شاطئ شام شاي شب شتاء شجرة شراء شرب شرطة شش شعب شعر شغل شماره شمس شنبه شهر
شوكولاتة شیر صباح صبح صبحانه صد صديق صغير صفحة صندوق صورة صيف ضباب ضعيف ضوء ضيف طائرة طالب طاولة طبيب طريق طعام طفل
طقس طلب طماطم طول طويل طير عائلة عاش عاصمة عال عالم عام عامل عجلة عرض عرف عشاء عشرة عصر عصير عطلة عقد عمق عمل عميل عنب
عنوان عوض عيد عين عکس غدا غداء غذا غرفة فاصلة فایل فبراير فتح فترة فردا فرستادن فرهنگ فطور فقرة فندق فهرست فيديو فيلم
قائمة قارب قاشق قاعدة قال قاموس قانون قایق قدم قديم قرأ قرارداد قرمز قصة قصير قطار قطة قفل قلب قمر قهوة قوي قیمت كبير
كتاب كتب كعكة كلب كلمة كهرباء كوب كيلومتر لباس لحم لعب لغة لون ليل لیوان مئة ماء مادر مارس ماشین مال ماه ماهانه مايو
مبكر مبلغ متأخر متحف متر متن متوسط مثال محرك محكمة مدرسة مدرک مدير مدينة مربع مرد مردم مرض مرغ مركز مسألة مسئله مساء
مسرح مشتری مشروع مشكلة مصباح مطبخ مطر مطعم معلم معنى مفتاح مقهى مكان مكتب ملابس ملح ملعقة ملف ملی منخفض مه مهلت مهمان
موتور موج موسيقى موعد موقع ميناء میانگین میز نافذة نام نان ناهار نسبة نص نصف نقطة نمک نهر نور نوشتن نوفمبر نیم هاتف
هتل هدية هرگز هزار هشت هفت همسایه همکار همیشه هوا هواپیما واحد والدين وثيقة وجد وزن وصفة وطن وقود يد يناير يوليو يونيو
پا پاییز پایین پدر پرداخت پروژه پزشک پسر پلیس پنج پنجره پنجشنبه پوشه پول پیاز پیام پیشنهاد چاقو چای چراغ چرخ چشم چهار
چهارشنبه کار کارگر کافه کالا کشتی کشور کفش کلید کوتاه کوه کوچک کیک گاهی گذرنامه گربه گرفتن گرم گزارش گفتن گل گوجه گوشت
یادداشت یخ یکشنبه
"""
_HEBREW: Final = """
אבא אביב אגם אדום אדם אוגוסט אוויר אוטובוס אוכל אוניברסיטה אוקטובר אור אורח אורך אח אחוז אחות אחרון אי איטי אינטרנט
איש אלף אמא אנשים אפריל ארבע ארוחה ארוך ארץ אתמול אתר בגדים בוקר ביצה בית בן בנק בעיה בעל בצל בקבוק בשר בת גבוה גבינה
גדול גובה גודל גל גלגל גשם דג דואר דוגמה דוח דלק דלת דם דף דצמבר דקה דרכון הוסף הורים הזמנה הנחה הר וידאו זווית זיכרון
זכות זריחה חבר חג חדר חדש חודש חוזה חול חוף חופש חוק חורף חזק חידה חיים חלב חלון חלש חם חמישי חמש חנות חצי חשבון חשמל
חתול טוב טיול טלפון טמפרטורה טקסט יד יולי יוני ילד ים ינואר יפה ירוק ירח ירקות ישן כבד כוס כותרת כיסא כלב כלי כלל כסף
כף כפתור כרטיס כתובת לאהוב לאכול לב לבחור לבן לדעת להדליק להחזיר להחליף להסביר להציע להראות להתחיל להתקשר לומר לחיות
לחכות לחם לחפש לחשוב לילה לישון לכבות לכתוב ללחוץ ללכת למכור למצוא לנקות לסגור לעבוד לעזור לעמוד לעשות לפעמים לפתוח
לקבל לקוח לקחת לקנות לקרוא לרצות לשבת לשחק לשלוח לשלם לשמוע לשתות לתרגם לתת מאה מאוחר מאי מבחן מדבר מהיר מהירות
מוזיאון מוזיקה מועד מוצר מוקדם מורה מזג מחיר מחלה מחק מחר מחשב מטבח מטוס מטר מילון מים מיץ מכונית מכשיר מכתב מלון מלח
ממוצע ממתק מנהל מנוע מנורה מנעול מסך מסמך מסעדה מספר מפתח מקום מרכז מרץ מרק משטרה משלוח משפחה משפט משקל משרד מתכון
מתנה נהג נהר נובמבר נמוך נמל נעל נקודה נשיא סוכר סוף סטודנט סימן סיסמה סיפור סירה סכום סכין ספטמבר ספינה סרט סתיו
עגבנייה עובד עוגה עולם עומק עוף עיגול עין עיר עמית ענבים עץ ערב ערפל עשר פברואר פגישה פירות פסקה פרויקט פרח פתרון צבע
צהוב ציפור קו קובץ קופסה קטן קילומטר קיץ קל קפה קצר קר קרח קשר ראש ראשון רביעי רגל רוח רוחב רופא רחוב ריבוע רכבת רע
רשימה רשת שבוע שבע שגיאה שולחן שוק שוקולד שחור שיחה שיעור שיר שישי שכן שלוש שמונה שמיים שמן שמש שנה שני שנייה שעה שפה
שקיעה שש תאריך תה תוכנה תיאטרון תיק תיקון תיקייה תלמיד תמונה תמיד תפוח תקופה תקן תרגיל תרופה תשובה תשלום תשע
"""
_HAN: Final = """
一日 一次 一番 一覧 三次 上下 上传 上午 上海 上班 上网 上面 下午 下载 下雨 下面 世界 东边 两次 中午
中国 中央 中间 之前 之后 买东 予定 二番 交換 京都 今天 今日 仕事 付款 代码 以上 以下 以内 以前 以后
以後 价格 休日 会社 会議 会议 住所 何日 何時 例子 例文 便宜 便局 保存 信件 修改 修理 値下 値段 假日
健康 儿子 充电 充電 先生 入力 全角 公司 公園 关闭 内側 写一 写作 写真 冬天 冰箱 冷房 冷蔵 减少 几天
几点 出售 函数 刀子 分之 分钟 切符 列表 删除 利用 削除 前後 办法 动物 勉強 動物 動画 北京 医生 医者
午前 午後 午饭 半天 半日 半角 单位 南北 単語 卫星 印刷 卵焼 原因 厨房 友達 取引 句子 台所 右边 号码
吃饭 同事 同僚 名前 名字 名称 听说 周末 周记 咖啡 哥哥 商场 商店 問題 喜欢 喝水 回答 回線 困难 国家
国庆 国語 图片 地址 地方 地铁 城市 報告 場所 増加 增加 変更 复杂 夏天 夕食 外側 外国 外面 多少 大学
大小 大海 大门 大阪 天候 天天 天气 天気 太多 太小 太长 太阳 太陽 奖金 女人 女儿 女性 好吃 好看 妈妈
妹妹 姐姐 姓名 子供 季節 学习 学校 学生 孩子 完了 完成 定期 実行 客人 家人 家族 容易 宽度 密码 小时
小狗 小猫 小説 小说 少钱 工作 工资 左右 左边 市场 市場 帮助 常见 帽子 平均 年底 年齢 年龄 床上 店主
开关 弟弟 当天 当日 必要 快点 快递 快速 性別 性别 性能 总结 意味 意思 房子 房间 手提 手机 手紙 手表
打开 打扫 找到 报告 按钮 捐款 掃除 提高 支付 支払 改成 故事 数値 数字 数据 数日 数量 整天 整理 文件
文字 文章 料理 新年 新聞 新闻 方法 旁边 旅游 旅行 日本 日記 日记 早上 早饭 时间 明天 明日 星期 映画
春夏 春天 春节 昨天 昨日 昼食 時刻 時計 時間 時頃 晚上 晚饭 普通 暖房 曜日 更换 書類 最低 最初 最后
最大 最好 最小 最後 最高 月亮 月份 朋友 朝食 本番 本語 机上 机器 杯子 東京 東西 果物 标题 桌子 检查
森林 植物 検索 機械 機能 歌曲 歌詞 歴史 毎年 毎日 毎月 毎週 每周 每天 每年 每月 氏名 気温 水果 汽车
沙发 河川 河流 注册 注销 洋服 洗濯 洗衣 测试 海岸 海水 海洋 海边 深度 添加 清掃 清洗 減少 温度 温泉
港町 游戏 漂亮 火车 灯光 点钟 照片 爸爸 牛乳 牛奶 物語 特別 特别 玄関 理由 生日 生活 生病 用户 用者
电影 电池 电脑 电视 电话 男人 男性 画面 番号 病気 登录 登録 白色 盘子 相手 看到 眼睛 眼鏡 睡觉 確定
確認 礼物 祝日 秋冬 秋天 称呼 程序 種類 空调 窗户 第一 第二 等待 答案 筷子 简单 管理 簡単 米饭 終了
経費 結果 給料 緑色 練習 红色 结束 结果 绿色 缓慢 缩短 网站 网络 美国 翌日 翻訳 翻译 老师 老板 自動
节日 英語 营业 蓝色 蔬菜 蔵庫 街道 衛星 衣服 表格 表示 複雑 西边 要約 観光 视频 解释 解除 言葉 計画
記録 設備 設定 誕生 説明 计划 诗歌 说话 读书 財布 販売 買物 質問 購入 账单 账号 购买 贷款 赤色 超市
跑步 路上 身体 车票 软件 辞書 运行 追加 通信 速度 週末 運動 道路 邮件 邮局 部分 部屋 部署 部门 郵便
郵送 都市 酒店 里面 重要 重量 野菜 銀行 钥匙 钱包 银行 错误 長短 长度 開始 问题 降低 雨伞 雨天 電池
電源 電灯 電話 電車 青色 面条 面积 面積 鞋子 音乐 音楽 題名 页面 颜色 飛行 飞机 食器 食堂 食谱 餐厅
高山 高度 鸡蛋 黄色 黑色 黒色
"""


def is_usual(term: str) -> bool:
    """Whether a term is such a word in any of its forms."""
    return term in _stems()


def usual_words() -> list[str]:
    """The words, each in one of its forms."""
    return " ".join((_EVERYDAY, _CRAFT, _CYRILLIC, _ARABIC, _HEBREW, _HAN)).split()


@cache
def _stems() -> frozenset[str]:
    return frozenset(stem(word) for word in usual_words())
